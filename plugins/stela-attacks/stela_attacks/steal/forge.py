"""Text written by the model, with tokens that are believed green made likelier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from stela_models.generation.per_text_rng import PerTextRng
from transformers import GenerationConfig, LogitsProcessor

from stela_attacks.steal.beliefs import Beliefs
from stela_core.api import LanguageModel, TokenBytes, backend_of


class Force(NamedTuple):
    """How the beliefs are used."""

    strength: float
    """Nats on a token that is surely green."""
    steering: float
    """Nats on a token that leads to a known context."""
    temperature: float
    """Temperature of sampling."""


class Believed(LogitsProcessor):
    """Add what is believed to the logits, after each row's last ids, those of the prompt included.

    Args:
        beliefs: what was learned.
        force: how it is used.
    """

    def __init__(self, beliefs: Beliefs, force: Force) -> None:
        self._beliefs = beliefs
        self._force = force

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """New scores (rows, vocabulary)."""
        contexts = input_ids[:, max(input_ids.shape[1] - self._beliefs.width, 0) :].tolist()
        places, biases = [], []
        for row, context in enumerate(contexts if self._beliefs.width else [()] * len(scores)):
            ids, beliefs = self._beliefs.after(context)
            leads = self._beliefs.leads(context)
            for columns, bias in (
                (ids, self._force.strength * beliefs),
                (leads, np.full(len(leads), self._force.steering)),
            ):
                places.append(np.stack([np.full(len(columns), row), columns]))
                biases.append(bias)
        rows, columns = torch.from_numpy(np.concatenate(places, axis=1)).to(scores.device)
        values = torch.from_numpy(np.concatenate(biases)).to(scores.device, scores.dtype)
        # A token may have both.
        return scores.clone().index_put_((rows, columns), values, accumulate=True)  # type: ignore[return-value]


def ids_of(language_model: LanguageModel, texts: Sequence[str]) -> list[list[int]]:
    """Token ids of texts, as the detector sees them."""
    if not texts:
        return []
    rows: list[list[int]] = language_model.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    return rows


def forge(
    language_model: LanguageModel,
    prompts: Sequence[str],
    lengths: Sequence[int],
    beliefs: Beliefs,
    force: Force,
    draws: Sequence[np.random.Generator],
    batch_size: int,
) -> list[str]:
    """One text after each prompt.

    Args:
        language_model: model and tokenizer, padding on the left.
        prompts: beginnings.
        lengths: tokens of each text.
        beliefs: which tokens are green.
        force: how they are used.
        draws: a generator for each text.
        batch_size: texts written at once.
    """
    model, tokenizer = language_model
    spelling = TokenBytes.of(backend_of(tokenizer))
    texts: list[str] = []
    for start in range(0, len(prompts), batch_size):
        part = slice(start, start + batch_size)
        inputs = tokenizer(
            list(prompts[part]), return_tensors="pt", padding=True, return_token_type_ids=False
        ).to(model.device)
        longest = max(1, *lengths[part])  # the model refuses to write nothing
        config = GenerationConfig(  # type: ignore[no-untyped-call]
            max_new_tokens=longest,
            min_new_tokens=longest,
            do_sample=False,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=model.generation_config.eos_token_id,
        )
        processors = [Believed(beliefs, force), PerTextRng(list(draws[part]), 1.0, force.temperature)]
        with torch.inference_mode():
            out = model.generate(  # type: ignore[operator]
                **inputs, generation_config=config, logits_processor=processors
            )
        rows = out[:, inputs["input_ids"].shape[1] :].tolist()
        texts += [spelling.decode(row[:length]) for row, length in zip(rows, lengths[part], strict=True)]
    return texts
