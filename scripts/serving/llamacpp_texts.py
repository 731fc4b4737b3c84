"""Marked texts by llama.cpp itself, in an environment without torch.

    python -m scripts.serving.llamacpp_texts MODEL.gguf PROFILE OUT.jsonl PROMPT..

ik-llama-cpp-python is llama.cpp behind Python; its class takes no logits processors, so its own loop is run
here with one call more: the processor's, on the ids so far and the scores that llama.cpp holds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from ik_llama_cpp import IkLlama, _ctypes_api
from ik_llama_cpp._internals import make_batch_range, make_batch_single
from stela_llamacpp import Processor, require_same_pieces

import stela_core as stela

TOKENS = 160


def main(arguments: list[str]) -> None:
    assert "torch" not in sys.modules
    model, profile, out, *prompts = arguments
    llama = IkLlama(model, n_ctx=512, n_threads=1)
    mark = stela.load(profile)
    require_same_pieces(mark, lambda index: piece_of(llama, index), llama._model.n_vocab)
    processor = Processor(mark, record=True, final=True)
    rng = np.random.default_rng(0)
    with Path(out).open("w", encoding="utf-8") as file:
        for prompt in prompts:
            ids = list(texts(llama, llama.tokenize(prompt, add_bos=False), processor, rng))
            text = mark.tokens.decode(ids)
            line = {"prompt": prompt, "text": text, "ids": ids, "weights": processor.weights[: len(ids)]}
            file.write(json.dumps(line) + "\n")
            processor.reset()


def texts(llama: Any, prompt: list[int], processor: Processor, rng: np.random.Generator) -> Iterator[int]:
    """Token for token: drawn at temperature 1, without the end token."""
    context = llama._context
    context.kv_cache_clear()
    ids, batch = list(prompt), make_batch_range(prompt, pos_start=0)
    for _ in range(TOKENS):
        assert context.decode(batch) == 0
        _ctypes_api.llama_batch_free(batch)
        scores = np.ctypeslib.as_array(context.get_logits(-1), (llama._model.n_vocab,))
        scores = np.array(scores, dtype=np.single)
        scores[0] = -np.inf
        marked = processor(np.array(ids, dtype=np.intc), scores).astype(np.float64)
        chances = np.exp(marked - marked.max())
        token = int(rng.choice(len(chances), p=chances / chances.sum()))
        yield token
        batch = make_batch_single(token, len(ids))
        ids.append(token)
    processor(np.array(ids, dtype=np.intc), scores)  # so that the last token is known, with its weight


def piece_of(llama: Any, index: int) -> bytes:
    """The bytes of a token; none of a special one."""
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    count = _ctypes_api.llama_token_to_piece(llama._model.model, index, buffer, 256, 0, False)
    return buffer.raw[: max(0, count)]


if __name__ == "__main__":
    main(sys.argv[1:])
