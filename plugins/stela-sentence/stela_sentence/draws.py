"""Candidates from a language model of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from stela_core.api import LanguageModel
from stela_sentence.split import extended
from stela_sentence.writing import Draw

if TYPE_CHECKING:
    import torch


def model_draws(
    language_model: LanguageModel,
    prompt: str,
    number: int = 0,
    temperature: float = 0.7,
    seed: int = 0,
    most_tokens: int = 80,
) -> Draw:
    """Candidates after a prompt, each by a separate generator: batches change none of its draws.

    Args:
        language_model: model and tokenizer, padding on the left.
        prompt: at least one token.
        number: of the text: another one has other draws.
        temperature: of sampling, above 0.
        seed: of the draws.
        most_tokens: of a candidate.

    Returns:
        a function that raises StelaError where the prompt has no tokens.
    """
    from stela_models.generation.generate import end_ids
    from stela_models.generation.per_text_rng import PerTextRng
    from stela_models.prompts import encode_prompts
    from transformers import GenerationConfig, StoppingCriteriaList

    model, tokenizer = language_model
    ends = end_ids(model)
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=most_tokens,
        do_sample=False,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=sorted(ends) or None,
    )

    def text_of(row: list[int]) -> str:
        length = next((t for t, token in enumerate(row) if token in ends), len(row))
        return str(tokenizer.decode(row[:length], skip_special_tokens=True))

    def draw(text: str, first: int, n: int) -> list[str]:
        import torch

        inputs = encode_prompts(tokenizer, [prompt + text]).to(model.device)
        start = inputs["input_ids"].shape[1]
        rows = {name: value.repeat(n, 1) for name, value in inputs.items()}
        generators = [np.random.default_rng([seed, number, len(text), first + k]) for k in range(n)]

        def done(ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
            """Whether each row has a sentence and more: one character after it, its end is sure."""
            told = [_has_ended(text, text_of(row)) for row in ids[:, start:].tolist()]
            return torch.tensor(told, device=ids.device)

        with torch.inference_mode():
            out = model.generate(  # type: ignore[operator]
                **rows,
                generation_config=config,
                logits_processor=[PerTextRng(generators, 1.0, temperature)],
                stopping_criteria=StoppingCriteriaList([done]),
            )
        return [text_of(row) for row in out[:, start:].tolist()]

    return draw


def _has_ended(text: str, more: str) -> bool:
    # What is behind the sentence tells that it ended; without the last character it must have, too.
    longer = extended(text, more[:-1])
    return longer is not None and longer == extended(text, more)
