"""What the mark costs in generation: a random model of 0.5 B parameters, with and without STELA."""

from __future__ import annotations

import argparse
import statistics
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessorList, PreTrainedModel

from benchmarks.texts import Texts, tokens_of_tiny, watermark

BATCH, NEW_TOKENS, ROUNDS = 8, 64, 3
VOCABULARY = 151_936
KOREAN = range(0xEA, 0xEE)
"""First bytes of Hangul in UTF-8."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print seconds of plain and of marked generation, in turn, and their ratio."""
    mark = watermark("stela", "ko")
    model = half_a_billion()
    count = sum(weight.numel() for weight in model.parameters())
    print(f"{count / 1e9:.2f} B parameters, {model.dtype}, batch {BATCH}, {NEW_TOKENS} new tokens, Sejong")
    prompt = torch.tensor([[1, *range(300, 310)]]).repeat(BATCH, 1)
    # Ids of Korean text alone are drawn, which is what a Korean tagger meets, and among them evenly.
    allowed = torch.full((VOCABULARY,), -1e9)
    tokens = tokens_of_tiny()
    allowed[
        [i for i in range(len(tokens)) if tokens[i].lstrip(b" ")[:1] and tokens[i].lstrip(b" ")[0] in KOREAN]
    ] = 0

    def korean(ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        return scores + allowed

    def seconds(marked: bool) -> float:
        processors = [korean, *([mark.logits_processor()] if marked else [])]
        torch.manual_seed(1)
        began = time.perf_counter()
        model.generate(  # type: ignore[operator]
            prompt,
            do_sample=True,
            max_new_tokens=NEW_TOKENS,
            min_new_tokens=NEW_TOKENS,
            logits_processor=LogitsProcessorList(processors),
        )
        return time.perf_counter() - began

    seconds(True)
    plain, marked = zip(*((seconds(False), seconds(True)) for _ in range(ROUNDS)), strict=True)
    rates = [after / before for before, after in zip(plain, marked, strict=True)]
    print(f"plain {statistics.median(plain):.2f} s, marked {statistics.median(marked):.2f} s")
    print(f"ratio {statistics.median(rates):.3f} ({', '.join(f'{rate:.3f}' for rate in rates)}; goal 1.05)")


def half_a_billion() -> PreTrainedModel:
    """Llama's shape with random weights."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=26,
        num_attention_heads=16,
        num_key_value_heads=8,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=1,
    )
    model = LlamaForCausalLM(config)
    model.train(False)
    return model
