"""The suspect model: what it writes after prompts, and which token it expects at each place of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from stela_models.generation.unmarked import unmarked
from stela_models.logits import ModelLogits

from stela_core import StelaError
from stela_core.api import LanguageModel

Ids = npt.NDArray[np.int64]

WINDOW = 512
"""Tokens of a text that the model reads at once; a longer one is cut."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How the suspect model writes."""

    max_new_tokens: int = 200
    temperature: float = 0.7
    """0 is greedy."""
    seed: int = 0
    batch_size: int = 16


def answers(
    language_model: LanguageModel,
    prompts: Sequence[str],
    writing: Writing,
    advance: Callable[[int], None] = lambda texts: None,
) -> list[Ids]:
    """Token ids that the model writes after each prompt, unmarked, up to the end token: (tokens,) each.

    Args:
        language_model: suspect and its tokenizer, padding on the left.
        prompts: at least one token each. A text depends on the seed and on the number of its prompt.
        writing: how.
        advance: is told how many texts are done.

    Raises:
        StelaError: a prompt is empty.
    """
    rows: list[Ids] = []
    for batch in unmarked(
        language_model, prompts, writing.max_new_tokens, writing.temperature, writing.seed, writing.batch_size
    ):
        rows += [np.array(row, dtype=np.int64) for row in batch]
        advance(len(batch))
    return rows


def expected(
    language_model: LanguageModel,
    rows: Sequence[Ids],
    positions: Sequence[npt.NDArray[np.intp]],
    is_text: npt.NDArray[np.bool_],
    advance: Callable[[int], None] = lambda texts: None,
) -> list[Ids]:
    """The likeliest text token at each position, given the text before it (teacher forcing).

    Args:
        language_model: suspect and its tokenizer.
        rows: token ids of each text, (tokens,).
        positions: where, ascending, (n,) of each text.
        is_text: which ids are ordinary tokens, (vocabulary,).
        advance: is told how many texts are done.

    Returns:
        ids (n,) of each text; -1 where the model has read nothing yet.

    Raises:
        StelaError: the model's vocabulary is smaller than the tokenizer's.
    """
    logits = ModelLogits(*language_model)
    window = min(WINDOW, _longest(language_model))
    pieces = [(n, begin) for n, row in enumerate(rows) for begin in range(0, len(row), window)]
    prefixes = logits.prefixes(None, len(pieces))
    texts, places, where = [], [], []
    for (n, begin), prefix in zip(pieces, prefixes, strict=True):
        at = positions[n]
        numbers = np.flatnonzero((at >= begin) & (at < begin + window) & (at - begin + len(prefix) > 0))
        texts.append(rows[n][begin : begin + window])
        places.append((at[numbers] - begin).astype(np.intp))
        where.append(numbers)
    chosen = [np.full(len(at), -1, dtype=np.int64) for at in positions]
    forbidden = torch.from_numpy(~is_text)
    for chunk in logits.chunks(texts, places, prefixes):
        if chunk.logits.shape[1] < len(forbidden):
            raise StelaError(
                f"the model has {chunk.logits.shape[1]} logits for {len(forbidden)} tokens.",
                "take a model that knows all tokens of the profile",
            )
        known = chunk.logits[:, : len(forbidden)].masked_fill(forbidden.to(chunk.logits.device), -torch.inf)
        numbers = where[chunk.text][chunk.start : chunk.stop]
        chosen[pieces[chunk.text][0]][numbers] = known.argmax(dim=-1).cpu().numpy()
        if chunk.stop == len(where[chunk.text]):
            advance(1)
    return chosen


def _longest(language_model: LanguageModel) -> int:
    """Tokens that the model reads at most, without the one that begins a text."""
    config = language_model.model.config.get_text_config()
    most: int | None = getattr(config, "max_position_embeddings", None)
    return WINDOW if most is None or most < 2 else most - 1
