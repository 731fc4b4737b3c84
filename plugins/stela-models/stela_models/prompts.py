"""Prompts to what a model reads: chat templates, and the beginning-of-text token once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stela_core import StelaError


def chat_prompt(tokenizer: Any, prompt: str, system: str | None = None) -> str:
    """The prompt as a user's turn in the tokenizer's chat template, up to where the answer begins.

    Args:
        tokenizer: a transformers tokenizer.
        prompt: what the user says.
        system: what a system turn before it says; ``None`` for no such turn.

    Raises:
        StelaError: the tokenizer has no chat template, or its template refuses these turns.
    """
    if not tokenizer.chat_template:
        raise StelaError(
            "the model's tokenizer has no chat template: it is not a chat model.",
            "leave --chat out, or take an instruction-tuned model",
        )
    turns = [] if system is None else [{"role": "system", "content": system}]
    turns.append({"role": "user", "content": prompt})
    try:
        rendered: str = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    except Exception as error:  # jinja2's errors, and ImportError where it is missing
        first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        hint = "leave --system out: some templates know no such turn" if system is not None else ""
        raise StelaError(
            f"the chat template of the tokenizer fails: {first.strip()[:160]}",
            hint or "take another model, or leave --chat out",
        ) from None
    return rendered


def complete(tokenizer: Any, prompt: str) -> bool:
    """Whether the prompt begins with the beginning-of-text token: then no special tokens are added."""
    return bool(tokenizer.bos_token) and prompt.startswith(tokenizer.bos_token)


def encode_prompts(tokenizer: Any, prompts: Sequence[str]) -> Any:
    """A batch of prompts as tensors ``input_ids`` and ``attention_mask``, (prompts, longest).

    Raises:
        StelaError: a prompt has no tokens.
    """
    kinds = [complete(tokenizer, prompt) for prompt in prompts]
    if len(set(kinds)) == 1:
        inputs = tokenizer(
            list(prompts),
            return_tensors="pt",
            padding=True,
            return_token_type_ids=False,
            add_special_tokens=not kinds[0],
        )
    else:
        rows = [
            tokenizer(prompt, add_special_tokens=not kind)["input_ids"]
            for prompt, kind in zip(prompts, kinds, strict=True)
        ]
        inputs = tokenizer.pad({"input_ids": rows}, return_tensors="pt")
    if inputs["input_ids"].shape[1] == 0 or not inputs["attention_mask"].any(dim=1).all():
        raise StelaError("a prompt is empty.", "give at least one character")
    return inputs
