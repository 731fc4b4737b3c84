"""What stands before texts and before their scored tokens, and what tokens weigh by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from stela_core.composition import checked_weights
from stela_core.interfaces import Context, Hasher, Positions, Weighting
from stela_core.interfaces.logits import Chunk, Ids, TextLogits
from stela_core.interfaces.weighting import SUFFIX_CHARS
from stela_core.statistics.grouping import group_pairs
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import tails_before_each
from stela_core.text.token_bytes import TokenBytes

T = TypeVar("T")


class PreparedTexts(NamedTuple):
    """Texts of token ids, which of their tokens are scored, and the prompts before them: one entry a text."""

    rows: list[Ids]
    positions: list[npt.NDArray[np.intp]]
    """Positions of the scored tokens, ascending."""
    hashed: list[Sequence[int]]
    """Ids of the prompt's end, where hash contexts reach into it; at most a context's width."""
    read: list[Ids] | None = None
    """Ids that the model reads before the text; ``None`` where none is run."""


RawWeights = tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]
"""Positions of a text's scored tokens, (n,), and their weights, (n,), before what their weighting does over
the text."""


def each_once(cut: Callable[[list[str]], Sequence[T]], prompts: Sequence[str]) -> list[T]:
    """What a tokenizer makes of each prompt, equal ones cut once."""
    different = list(dict.fromkeys(prompts))
    made = dict(zip(different, cut(different), strict=True))
    return [made[prompt] for prompt in prompts]


def scored_positions(
    ids: Ids, hasher: Hasher[Any], is_text: npt.NDArray[np.bool_], before: Sequence[int] = ()
) -> npt.NDArray[np.intp]:
    """Positions whose token and hash context are ordinary text tokens, and where the hasher marks.

    No token decides whether it is scored, but by being none of the text's; no key does.

    Args:
        ids: the text's token ids, (tokens,).
        hasher: under any key.
        is_text: by id, with one entry more, ``False``, for ids past the vocabulary.
        before: ids of the prompt's end, at most ``context_width``.
    """
    width = hasher.context_width
    ordinary = is_text[np.clip(ids, -1, len(is_text) - 1)]
    given = width if hasher.padding is not None or len(before) else 0
    ordinary = np.concatenate([np.ones(given, dtype=np.bool_), ordinary])
    if len(ordinary) <= width:
        return np.empty(0, dtype=np.intp)
    runs = np.lib.stride_tricks.sliding_window_view(ordinary, width + 1)
    positions = np.flatnonzero(runs.all(axis=1)) + (width - given)
    if not hasher.first_only:
        return positions
    # Those whose hash context is at none before; ids in front of a text are -1.
    contexts = hasher.contexts_after(before, ids, positions) & 0xFFFFFFFF
    numbers = group_pairs(contexts, np.zeros(len(positions), dtype=np.int64))
    return positions[np.sort(np.unique(numbers, return_index=True)[1])][: hasher.most_contexts]


def pos_contexts(contexts: CausalContexts | None, seen: PreparedTexts) -> list[Sequence[Context]]:
    """POS contexts of each text's scored tokens, the tagger given all texts; nothing where there are none."""
    if contexts is None:
        return [()] * len(seen.rows)
    positions = [at.tolist() for at in seen.positions]
    return list(contexts.before_places([ids.tolist() for ids in seen.rows], positions))


def weigh(
    seen: PreparedTexts,
    contexts: Sequence[Sequence[Context]],
    tokens: TokenBytes,
    gamma: float,
    weightings: Mapping[str, Weighting],
    logits: TextLogits | None,
) -> dict[str, list[RawWeights]]:
    """Raw weights of each text by each weighting; one number a position is all that is kept of logits.

    Args:
        seen: the texts.
        contexts: POS contexts of their scored tokens, or nothing.
        tokens: bytes of the token ids.
        gamma: share of green tokens.
        weightings: by name.
        logits: the model's distributions, where weightings need them.

    Raises:
        StelaError: a weighting breaks its contract.
    """
    needs = frozenset[str]().union(*(weighting.needs for weighting in weightings.values()))
    tails: list[Sequence[str]] = [()] * len(seen.rows)
    if "text" in needs:
        each = [tails_before_each(ids.tolist(), tokens, SUFFIX_CHARS) for ids in seen.rows]
        tails = [[of[n] for n in at] for of, at in zip(each, seen.positions, strict=True)]
    weights = {name: [np.zeros(len(at)) for at in seen.positions] for name in weightings}
    chunks: Iterable[Chunk] = (Chunk(number, 0, len(at), None) for number, at in enumerate(seen.positions))
    if logits is not None and seen.read is not None:
        chunks = logits.chunks(seen.rows, seen.positions, seen.read)
    for chunk in chunks:
        part = slice(chunk.start, chunk.stop)
        before = Positions(
            chunk.stop - chunk.start,
            contexts[chunk.text][part],
            chunk.logits,
            gamma=gamma,
            text=tails[chunk.text][part],
        )
        shown = before
        if "token" in needs:
            ids, at = seen.rows[chunk.text], seen.positions[chunk.text][part]
            if chunk.logits is None:
                text, ends = tokens.text_and_ends(ids.tolist())
                shown = replace(before, cut=(text, [*ends, len(text)], at.tolist()))
            else:
                told_apart, columns = chunk.with_tokens(ids[at])
                shown = replace(before, logits=told_apart, tokens=columns)
        for name, weighting in weightings.items():
            weights[name][chunk.text][part] = checked_weights(
                weighting, shown if "token" in weighting.needs else before
            )
    return {name: list(zip(seen.positions, texts, strict=True)) for name, texts in weights.items()}
