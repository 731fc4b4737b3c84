"""A model's distributions and entropies at the tokens of texts, its tokenizer the texts' own or another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_kernels.row_entropy import entropies, spike_entropies
from stela_models.logits import ModelLogits
from stela_run.statistics.bootstrap import Floats

from stela_core.api import Chunk, Evidence, LanguageModel, TokenBytes, backend_of

Places = npt.NDArray[np.intp]


class TokenEntropies(NamedTuple):
    """Entropies of the model's distribution before some of the scored tokens of one text."""

    scored: Places
    """Numbers of the scored tokens that have an entropy, (n,)."""
    shannon: Floats
    """Shannon entropy in nats, (n,)."""
    spike: Floats


class Distributions(NamedTuple):
    """A model's distributions before scored tokens of texts, piece by piece."""

    scored: list[Places]
    """Numbers of each text's scored tokens that have a distribution."""
    chunks: Iterator[Chunk]
    """Logits; a chunk's places count along ``scored`` of its text."""


def distributions(
    evidences: Sequence[Evidence],
    texts: Sequence[str],
    prompts: Sequence[str] | None,
    language_model: LanguageModel,
) -> Distributions:
    """Run a model over texts.

    Where its tokenizer is another than the evidence's, a scored token gets what is before the model's
    token that begins at the same byte; scored tokens without one are left out, and so is the first token of
    a text with nothing before it.

    Args:
        evidences: evidence of each text.
        texts: the texts.
        prompts: what each stands after; ``None`` where nothing is known.
        language_model: the model and its tokenizer.
    """
    backend = backend_of(language_model.tokenizer)
    tokens = TokenBytes.of(backend)
    rows = [np.array(backend.encode(text, add_special_tokens=False).ids, dtype=np.int64) for text in texts]
    logits = ModelLogits(*language_model)
    prefixes = logits.prefixes(prompts, len(rows))
    scored, wanted = [], []
    for evidence, ids, prefix in zip(evidences, rows, prefixes, strict=True):
        mine, theirs = common_starts(
            [evidence.token_bytes[i] for i in evidence.ids], [tokens[i] for i in ids.tolist()]
        )
        number = np.full(len(evidence.ids), -1)
        number[evidence.positions] = np.arange(len(evidence.positions))
        kept = (number[mine] >= 0) & (theirs + len(prefix) > 0)
        scored.append(number[mine[kept]])
        wanted.append(theirs[kept])
    return Distributions(scored, logits.chunks(rows, wanted, prefixes))


def token_entropies(
    evidences: Sequence[Evidence],
    texts: Sequence[str],
    prompts: Sequence[str] | None,
    language_model: LanguageModel,
    modulus: float,
) -> list[TokenEntropies]:
    """Entropies of a model's distributions; ``modulus`` is that of the spike entropy."""
    scored, chunks = distributions(evidences, texts, prompts, language_model)
    result = [TokenEntropies(at, np.zeros(len(at)), np.zeros(len(at))) for at in scored]
    for chunk in chunks:
        part = slice(chunk.start, chunk.stop)
        result[chunk.text].shannon[part] = entropies(chunk.logits)
        result[chunk.text].spike[part] = spike_entropies(chunk.logits, modulus)
    return result


def common_starts(mine: Sequence[bytes], theirs: Sequence[bytes]) -> tuple[Places, Places]:
    """Indices of the tokens of two cuts of one text that begin at the same byte.

    White space that one tokenizer puts before the text is not part of it; where the bytes differ otherwise,
    as with a tokenizer that changes them, there are none.

    Returns:
        (n,) indices into each, ascending.
    """
    ours, others = b"".join(mine), b"".join(theirs)
    if ours.lstrip() != others.lstrip():
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    starts = [
        np.cumsum([0, *map(len, pieces)])[:-1] - (len(whole) - len(whole.lstrip()))
        for pieces, whole in ((mine, ours), (theirs, others))
    ]
    # A token of no bytes begins where the next one does: the next one is meant.
    firsts, seconds = ({int(start): n for n, start in enumerate(row)} for row in starts)
    shared = sorted(firsts.keys() & seconds.keys())
    return (
        np.array([firsts[start] for start in shared], dtype=np.intp),
        np.array([seconds[start] for start in shared], dtype=np.intp),
    )
