"""Rewrite texts with a sequence-to-sequence model, by draws that belong to each text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import stela_core as stela
from stela_attacks.paraphrase.loading import Loaded

if TYPE_CHECKING:
    import numpy as np


class Decoding(NamedTuple):
    """How tokens are chosen."""

    max_new_tokens: int
    top_p: float | None = None
    """``None`` for beam search, or greedy with one beam; else each token is drawn from the smallest set
    of tokens that has this probability (Holtzman et al., ICLR 2020)."""

    temperature: float = 1.0
    beams: int = 1
    batch_size: int = 8


def rewrite(
    seq2seq: Loaded, texts: Sequence[str], draws: Sequence[np.random.Generator], decoding: Decoding
) -> list[str]:
    """What the model makes of each text.

    Args:
        seq2seq: model and tokenizer.
        texts: inputs; longer ones than the model takes are an error, never cut.
        draws: a generator for each; one number is drawn for each token of the result.
        decoding: how tokens are chosen.

    Returns:
        One string for each; special tokens and white space around it left out.

    Raises:
        StelaError: an input is too long for the model.
    """
    # Of about equal length together: less padding.
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    made: dict[int, str] = {}
    for start in range(0, len(order), decoding.batch_size):
        batch = order[start : start + decoding.batch_size]
        outputs = _batch(seq2seq, [texts[n] for n in batch], [draws[n] for n in batch], decoding)
        made.update(zip(batch, outputs, strict=True))
    return [made[number] for number in range(len(texts))]


def _batch(
    seq2seq: Loaded, texts: list[str], draws: list[np.random.Generator], decoding: Decoding
) -> list[str]:
    import torch
    from stela_models.generation.per_text_rng import PerTextRng
    from transformers import GenerationConfig

    model, tokenizer = seq2seq
    inputs = tokenizer(texts, return_tensors="pt", padding=True)
    longest = inputs["input_ids"].shape[1]
    limit = getattr(model.config, "max_position_embeddings", None)
    if limit is not None and longest > limit:
        raise stela.StelaError(
            f"a text has {longest} tokens, and the model takes {limit}.", "a smaller number of sentences"
        )
    inputs = {name: inputs[name].to(model.device) for name in ("input_ids", "attention_mask")}
    saved = model.generation_config
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=decoding.max_new_tokens,
        do_sample=False,
        num_beams=1 if decoding.top_p is not None else decoding.beams,
        decoder_start_token_id=saved.decoder_start_token_id,
        pad_token_id=saved.pad_token_id,
        eos_token_id=saved.eos_token_id,
        bad_words_ids=saved.bad_words_ids,
        forced_eos_token_id=saved.forced_eos_token_id,
    )
    processors = []
    if decoding.top_p is not None:
        processors.append(PerTextRng(draws, decoding.top_p, decoding.temperature))
    with torch.inference_mode():
        out = model.generate(**inputs, generation_config=config, logits_processor=processors)
    return [text.strip() for text in tokenizer.batch_decode(out, skip_special_tokens=True)]
