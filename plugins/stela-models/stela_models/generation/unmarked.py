"""Text that a model writes without a profile: for audits, and as the answers of a suspect model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from transformers import GenerationConfig

from stela_core.api import LanguageModel
from stela_models.generation.generate import end_ids
from stela_models.generation.per_text_rng import PerTextRng
from stela_models.prompts import encode_prompts


def unmarked(
    language_model: LanguageModel,
    prompts: Sequence[str],
    max_new_tokens: int,
    temperature: float,
    seed: int,
    batch_size: int,
    first: int = 0,
) -> Iterator[list[list[int]]]:
    """Token ids that a model writes after each prompt, up to the end token, a batch at a time.

    Args:
        language_model: model and tokenizer, padding on the left.
        prompts: at least one token each. A text depends on the seed and on the number of its prompt.
        max_new_tokens: of each text.
        temperature: of sampling; 0 is greedy.
        seed: of the draws.
        batch_size: texts written at once.
        first: number of the first prompt.

    Raises:
        StelaError: a prompt is empty.
    """
    model, tokenizer = language_model
    ends = end_ids(model)
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=max_new_tokens,
        do_sample=False,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=sorted(ends) or None,
    )
    for start in range(0, len(prompts), batch_size):
        batch = list(prompts[start : start + batch_size])
        inputs = encode_prompts(tokenizer, batch).to(model.device)
        draws = [np.random.default_rng([seed, first + start + n]) for n in range(len(batch))]
        sampling = [PerTextRng(draws, 1.0, temperature)] if temperature else []
        with torch.inference_mode():
            out = model.generate(  # type: ignore[operator]
                **inputs, generation_config=config, logits_processor=sampling
            )
        rows = out[:, inputs["input_ids"].shape[1] :].tolist()
        yield [row[: next((t for t, token in enumerate(row) if token in ends), len(row))] for row in rows]
