"""Marked texts by mlx-lm itself, in an environment without torch.

python -m scripts.serving.mlx_texts MODEL PROFILE OUT.jsonl PROMPT..
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mlx.core as mx
from mlx_lm import load, stream_generate
from mlx_lm.sample_utils import make_sampler
from stela_mlx import Processor

import stela_core as stela

TOKENS = 160


def main(arguments: list[str]) -> None:
    folder, profile, out, *prompts = arguments
    model, tokenizer = load(folder)
    mark = stela.load(profile)
    processor = Processor(mark, tokenizer, record=True, final=True)
    mx.random.seed(0)
    with Path(out).open("w", encoding="utf-8") as file:
        for prompt in prompts:
            options = {"max_tokens": TOKENS + 1, "sampler": make_sampler(temp=1.0)}
            parts = stream_generate(model, tokenizer, prompt, logits_processors=[go_on, processor], **options)
            ids = [part.token for part in parts][:TOKENS]  # the last one's weight is known after a step more
            ids = ids if mark.tokens.is_text(ids[-1]) else ids[:-1]
            line = {"prompt": prompt, "text": mark.tokens.decode(ids), "ids": ids}
            file.write(json.dumps({**line, "weights": processor.weights[: len(ids)]}) + "\n")
            processor.reset()
    assert "torch" not in sys.modules


def go_on(tokens: mx.array, logits: mx.array) -> mx.array:
    """Logits without the end token, 0: a text of a few tokens says nothing."""
    return mx.concatenate([mx.full((1, 1), -mx.inf), logits[:, 1:].astype(mx.float32)], axis=1)


if __name__ == "__main__":
    main(sys.argv[1:])
