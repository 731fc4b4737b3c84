"""``--check-null`` of ``stela profile new``: find a key that keeps its rate of false alarms on human text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.cli.progress import progress
from stela_core.corpora.corpus import Corpus
from stela_core.detection.null_check import ERROR, FEWEST, Shift, cut, shares, shift_under_key
from stela_core.detection.unmarked import Unmarked
from stela_core.errors import StelaError
from stela_core.models.logits import ModelLogits
from stela_core.profile.schema import NullCheck, ObservedShare
from stela_core.watermark import Watermark

DRAWS = 20
"""Keys drawn before giving up."""

MOST = 8_000
"""Texts looked at."""

PER_DOCUMENT = 4
"""Texts cut from one document, at most."""

BATCH = 250
"""Texts handed to the tagger at once."""


def checked_key(
    watermark: Watermark,
    tokenizer: Tokenizer,
    file: str,
    key: int,
    draw: Callable[[], int] | None,
    logits: ModelLogits | None = None,
) -> tuple[int, NullCheck]:
    """The first key that passes on the texts of a corpus, and the record of its test.

    Args:
        watermark: with ``key``; other keys are put in its place.
        tokenizer: the profile's.
        file: a corpus of human text, ``.jsonl`` (also compressed).
        key: tried first.
        draw: draws another key; ``None`` where only ``key`` may be used.
        logits: the model's distributions, where the scheme's evidence is weighed by them.

    Raises:
        StelaError: no key passes, or the corpus is too small.
    """
    texts, documents = unmarked(watermark, tokenizer, file, logits)
    different = len(np.unique(documents))
    if different < FEWEST:
        raise StelaError(
            f'corpus "{file}" has {different} documents of 50 tokens or more: too few to check a key.',
            f"give at least {FEWEST}, a thousand or more for a key to pass easily",
        )
    hasher, alpha = watermark.parts.hasher, watermark.profile.alpha
    tries = 1 if draw is None else DRAWS
    best: Shift | None = None
    with progress("trying keys", tries) as advance:
        for number in range(1, tries + 1):
            candidate = type(hasher)(hasher.parameters, key)
            shift = shift_under_key(texts.z_scores(candidate), documents, alpha, ERROR / tries)
            if shift.accepted:
                p = texts.p_values(candidate)
                observed = shares(p, documents)
                if all(share.low <= share.level for share in observed):
                    return key, NullCheck(
                        corpus=Path(file).name,
                        corpus_sha256=hashlib.sha256(Path(file).read_bytes()).hexdigest(),
                        documents=different,
                        tests=len(p),
                        keys_drawn=number,
                        mean_z=round(shift.mean, 6),
                        sd_z=round(shift.sd, 6),
                        shares=[ObservedShare(**asdict(share)) for share in observed],
                    )
            if best is None or shift.excess < best.excess:
                best = shift
            if draw is not None:
                key = draw()
            advance(1)
    assert best is not None
    raise refusal(best, different, file, draw is None)


def unmarked(
    watermark: Watermark, tokenizer: Tokenizer, file: str, logits: ModelLogits | None
) -> tuple[Unmarked, npt.NDArray[np.int64]]:
    """Evidence of texts cut from the corpus's documents, weighed once, and the document of each."""
    pieces = list(cut(documents_of(file), tokenizer, MOST, PER_DOCUMENT))
    evidence = []
    with progress("reading human text", len(pieces)) as advance:
        for start in range(0, len(pieces), BATCH):
            batch = pieces[start : start + BATCH]
            evidence += watermark.detector.evidence([piece.ids for piece in batch], logits)
            advance(len(batch))
    texts = Unmarked(evidence, watermark.parts.hasher.context_width, watermark.parts.scorer)
    return texts, np.array([piece.document for piece in pieces], dtype=np.int64)[texts.kept]


def documents_of(file: str) -> Iterator[str]:
    """Documents spread evenly over the corpus, whose parts may be of different kinds; all of a small one."""
    count = sum(1 for _ in Corpus(file))
    return islice(Corpus(file), 0, None, max(1, count * PER_DOCUMENT // MOST))


def refusal(shift: Shift, count: int, file: str, given: bool) -> StelaError:
    """Why no profile was made."""
    what = "the key" if given else f"none of {DRAWS} keys drawn"
    best = "" if given else ", the best"
    return StelaError(
        f"{what} could {'not ' if given else ''}be shown to keep its false alarms within the claim on "
        f'{count} documents of "{file}"{best}: z has mean {shift.mean:+.3f} and sd {shift.sd:.3f}, '
        f"upper bound of the excess {shift.excess:+.3f}.",
        f"{'take another key' if given else 'try again'}, or give more human text",
    )
