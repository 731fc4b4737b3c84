"""Probabilities of tokens without the mark: of the model, or counted in human text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from stela_models.logits import ModelLogits

from stela_attacks.steal.beliefs import Context, Place
from stela_core.api import LanguageModel

LEAST = 1e-3
"""Tokens of a smaller probability are left out: that one was not drawn says next to nothing of it."""


def model_places(
    language_model: LanguageModel,
    rows: Sequence[Sequence[int]],
    prompts: Sequence[str],
    width: int,
    temperature: float,
) -> Iterator[Place]:
    """The scored tokens of marked texts, with the model's distribution before each.

    Args:
        language_model: model and tokenizer.
        rows: token ids of each text.
        prompts: what each was generated after.
        width: of the hash context; the first ``width`` tokens of a text are not marked.
        temperature: of the distributions.
    """
    import torch

    logits = ModelLogits(*language_model)
    texts = [np.array(row, dtype=np.int64) for row in rows]
    prefixes = (
        logits.prefixes(list(prompts), len(texts)) if all(prompts) else logits.prefixes(None, len(texts))
    )
    positions = [
        np.arange(width if len(prefix) else max(width, 1), len(ids), dtype=np.intp)
        for ids, prefix in zip(texts, prefixes, strict=True)
    ]
    for chunk in logits.chunks(texts, positions, prefixes):
        probabilities = torch.softmax(chunk.logits.double() / temperature, dim=-1).cpu().numpy()
        row, at = rows[chunk.text], positions[chunk.text][chunk.start : chunk.stop].tolist()
        for place, chances in zip(at, probabilities, strict=True):
            [ids] = np.nonzero(chances >= LEAST)
            yield Place(tuple(row[place - width : place]), row[place], ids, chances[ids])


def human_places(
    human: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], width: int
) -> Iterator[Place]:
    """The same, with how often each token follows the context in human text.

    Args:
        human: token ids of human texts.
        rows: token ids of the marked ones.
        width: of the hash context.
    """
    counts: defaultdict[Context, Counter[int]] = defaultdict(Counter)
    for row in human:
        for at in range(width, len(row)):
            counts[tuple(row[at - width : at])][row[at]] += 1
    for row in rows:
        for at in range(width, len(row)):
            context = tuple(row[at - width : at])
            seen = counts.get(context, Counter())
            ids = np.fromiter(seen, np.int64, len(seen))
            # One more for what was not seen, so that a single occurrence is not certainty.
            shares = np.fromiter(seen.values(), np.float64, len(seen)) / (seen.total() + 1)
            kept = shares >= LEAST
            yield Place(context, row[at], ids[kept], shares[kept])
