"""How unlikely a language model finds texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from stela_models.loaded import Models
from stela_models.logits import ModelLogits

from stela_core.api import LanguageModel
from stela_metrics.quality.pairs import Pair

REMEMBERED = 16
"""Lists of texts whose likelihoods are kept: unmarked ones come again with each scheme and attack."""


class Likelihood(NamedTuple):
    """Likelihood of one text under one model."""

    nats: float
    """Negative log-likelihood of its tokens, summed."""
    tokens: int
    """Tokens counted, of the model that judges."""
    characters: int
    """Characters of the text."""

    @property
    def per_token(self) -> float:
        """Mean negative log-likelihood of a token, in nats: the log of the text's perplexity."""
        return self.nats / self.tokens

    @property
    def per_character(self) -> float:
        """Nats for a character: models with other tokenizers compare."""
        return self.nats / self.characters


def likelihoods(language_model: LanguageModel, pairs: Sequence[Pair]) -> list[Likelihood | None]:
    """Likelihood of each text after its prompt, in batches; the prompt's own tokens do not count.

    Prompt and text are tokenised each on its own, as generation meets them. Without a prompt a text
    stands after the beginning-of-text token, and where the model has none, its first token is not counted.

    Returns:
        one for each text; ``None`` where no token is left to count.
    """
    import torch

    model, tokenizer = language_model
    logits = ModelLogits(model, tokenizer)
    rows = [
        np.array(tokenizer(pair.text, add_special_tokens=False)["input_ids"], dtype=np.int64)
        for pair in pairs
    ]
    [alone] = logits.prefixes(None, 1)
    prefixes = [logits.prefixes([pair.prompt], 1)[0] if pair.prompt else alone for pair in pairs]
    positions = [
        np.arange(0 if len(prefix) else 1, len(ids), dtype=np.intp)
        for ids, prefix in zip(rows, prefixes, strict=True)
    ]
    nats = [0.0] * len(rows)
    for chunk in logits.chunks(rows, positions, prefixes):
        wanted = rows[chunk.text][positions[chunk.text][chunk.start : chunk.stop]]
        logs = torch.log_softmax(chunk.logits.float(), dim=-1)
        picked = logs.gather(1, torch.from_numpy(wanted).to(logs.device)[:, None])
        nats[chunk.text] -= float(picked.double().sum())
    return [
        Likelihood(value, len(at), len(pair.text)) if len(at) else None
        for value, at, pair in zip(nats, positions, pairs, strict=True)
    ]


_kept: WeakKeyDictionary[Models, OrderedDict[tuple[object, ...], list[Likelihood | None]]] = (
    WeakKeyDictionary()
)


def remembered(models: Models, name: str, pairs: Sequence[Pair]) -> list[Likelihood | None]:
    """:func:`likelihoods` under the model ``name``; those of the last lists of texts are kept.

    A list is kept as a whole: rounding depends on what is in a batch, and with it the last digits, so
    that likelihoods kept one by one would not be those of an undisturbed run.
    """
    kept = _kept.setdefault(models, OrderedDict())
    place = (name, *pairs)
    if place not in kept:
        kept[place] = likelihoods(models.load(name), pairs)
    kept.move_to_end(place)
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
    return kept[place]
