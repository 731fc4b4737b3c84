"""``--check-null`` of ``stela profile new``: find a key that keeps its rate of false alarms on human text.

A key is bad if it gives more false alarms than claimed on any corpus, and is accepted if that is refuted on
all of them. So each corpus is tested at the whole error of its key (an intersection-union test, as with the
two levels in :func:`stela_run.null.shift.shift_under_key`); only keys share the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from stela_cli.progress import progress
from stela_models.load import load_model
from stela_models.logits import ModelLogits
from stela_models.tokenizer import load_tokenizer

from stela_core import Registry, StelaError, Watermark
from stela_run.null.corpora import HumanTexts, read_corpora
from stela_run.null.shift import ERROR, Shift, shares

DRAWS = 20
"""Keys drawn before giving up, where one corpus is looked at."""

DRAWS_FOR_SEVERAL = 1_000
"""Keys drawn before giving up, for several corpora: about one in a hundred holds in prose, code, tables."""

FINALISTS = 5
"""Number of the keys drawn that are tested, on documents that had no part in choosing them."""


Check = dict[str, Any]
"""The fields of a profile that say how a key did on a corpus."""


class Candidate(NamedTuple):
    """A key, and how many were drawn until it was chosen."""

    key: int
    drawn: int


class Refused(NamedTuple):
    """The corpus on which a key did not pass, and how it did there."""

    corpus: HumanTexts
    shift: Shift


def checked_key(
    watermark: Watermark, corpora: Sequence[HumanTexts], key: int, draw: Callable[[], int] | None
) -> tuple[int, list[Check]]:
    """A key that passes on every corpus, and the record of its test on each.

    On one corpus it is the first key that passes. On several so few pass that the error, divided among
    as many draws as it takes, would leave no power: there the best of many on half of the documents are
    tested on the other half, which knows nothing of that choice, and only these share the error.

    Args:
        watermark: with ``key``; other keys are put in its place.
        corpora: human text, at least one.
        key: tried first.
        draw: draws another key; ``None`` where only ``key`` may be used.

    Raises:
        StelaError: no key passes.
    """
    if draw is None:
        return _first_passing(watermark, corpora, [Candidate(key, 1)], 1, None)
    if len(corpora) == 1:
        keys = (Candidate(draw() if number else key, number + 1) for number in range(DRAWS))
        return _first_passing(watermark, corpora, keys, DRAWS, None)
    best = best_keys(watermark, corpora, key, draw)
    finalists = [Candidate(one, DRAWS_FOR_SEVERAL) for one in best]
    return _first_passing(watermark, corpora, finalists, len(finalists), 1)


def checked_null_key(
    watermark: Watermark,
    registry: Registry,
    model: str,
    names: Sequence[str],
    key: int,
    draw: Callable[[], int] | None,
) -> tuple[int, list[Check]]:
    """:func:`checked_key` on the corpora of these names; a model is run only where one weighs evidence.

    Raises:
        StelaError: a corpus or the model is missing or bad, or no key passes.
    """
    logits = ModelLogits(*load_model(registry, model)) if watermark.needs_model_to_detect else None
    human = read_corpora(watermark, registry, load_tokenizer(registry, model), names, logits)
    return checked_key(watermark, human, key, draw)


def best_keys(
    watermark: Watermark, corpora: Sequence[HumanTexts], key: int, draw: Callable[[], int]
) -> list[int]:
    """The keys whose worst corpus is best on the first half of the documents."""
    best: list[tuple[float, int]] = []
    with progress("trying keys", DRAWS_FOR_SEVERAL) as advance:
        for number in range(DRAWS_FOR_SEVERAL):
            candidate = draw() if number else key
            bar = best[-1][0] if len(best) == FINALISTS else math.inf
            worst = -math.inf
            for corpus in corpora:
                worst = max(worst, corpus.shift(watermark, candidate, ERROR, 0).excess)
                if worst >= bar:
                    break
            else:
                best = sorted([*best, (worst, candidate)])[:FINALISTS]
            advance(1)
    return [candidate for _, candidate in best]


def _first_passing(
    watermark: Watermark,
    corpora: Sequence[HumanTexts],
    candidates: Iterable[Candidate],
    count: int,
    half: int | None,
) -> tuple[int, list[Check]]:
    """The first of ``count`` keys that passes, tested on a half of the documents or on all (``None``)."""
    best: Refused | None = None
    with progress("testing keys", count) as advance:
        for candidate in candidates:
            outcome = _tested(watermark, corpora, candidate, ERROR / count, half)
            if isinstance(outcome, list):
                return candidate.key, outcome
            if best is None or outcome.shift.excess < best.shift.excess:
                best = outcome
            advance(1)
    assert best is not None
    raise _refusal(best, len(corpora), count)


def _tested(
    watermark: Watermark, corpora: Sequence[HumanTexts], candidate: Candidate, error: float, half: int | None
) -> list[Check] | Refused:
    """The records of a key on all corpora, of the documents it was tested on; or where it did not pass."""
    checks: list[Check] = []
    for corpus in corpora:
        shift = corpus.shift(watermark, candidate.key, error, half)
        if not shift.accepted:
            return Refused(corpus, shift)
        own = corpus.own(half)
        documents = corpus.documents[own]
        p = corpus.texts.p_values(corpus.hasher(watermark, candidate.key))[own]
        observed = shares(p, documents)
        if not all(share.low <= share.level for share in observed):
            return Refused(corpus, shift)
        checks.append(
            {
                "corpus": corpus.path.name,
                "corpus_sha256": corpus.digest,
                "documents": len(np.unique(documents)),
                "tests": len(p),
                "keys_drawn": candidate.drawn,
                "mean_z": round(shift.mean, 6),
                "sd_z": round(shift.sd, 6),
                "shares": [asdict(share) for share in observed],
            }
        )
    return checks


def _refusal(best: Refused, corpora: int, count: int) -> StelaError:
    """Why no profile was made."""
    given = count == 1
    several = f" (all {corpora} corpora count)" if corpora > 1 else ""
    what = "the key" if given else f"none of {DRAWS if corpora == 1 else DRAWS_FOR_SEVERAL} keys drawn"
    shift = best.shift
    return StelaError(
        f"{what} could {'not ' if given else ''}be shown to keep its false alarms within the claim on "
        f'{best.corpus.different} documents of "{best.corpus.name}"{"" if given else ", the best"}{several}: '
        f"z has mean {shift.mean:+.3f} and sd {shift.sd:.3f}, upper bound of the excess {shift.excess:+.3f}.",
        f"{'take another key' if given else 'try again'}, or give more human text",
    )
