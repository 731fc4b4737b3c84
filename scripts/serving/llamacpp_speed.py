"""Tokens a second of llama.cpp with marks and without, in an environment without torch; marks take turns.

    python -m scripts.serving.llamacpp_speed MODEL.gguf ROUNDS PROFILE..

Each text's tokens come one after another, as llama-cpp-python makes them: the model's step, the processor,
llama.cpp's own sampler (top-k 40, top-p 0.95, temperature 0.8). Only time counts: texts are not tested.
"""

from __future__ import annotations

import ctypes
import statistics
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from ik_llama_cpp import IkLlama, _ctypes_api
from ik_llama_cpp._internals import make_batch_range, make_batch_single
from stela_llamacpp import Processor

import stela_core as stela

TOKENS = 256
PROMPT = 40
"""Tokens of the prompt: as many as a short question has."""


class Sampler:
    """llama.cpp's own choice of a token; its candidates lie in one array that is filled anew."""

    def __init__(self, llama: Any) -> None:
        self._context = llama._context._ctx
        count = llama._model.n_vocab
        self._data = (_ctypes_api.llama_token_data * count)()
        kinds = [("id", np.int32), ("logit", np.float32), ("p", np.float32)]
        self._array = np.frombuffer(self._data, dtype=kinds)
        self._ids = np.arange(count, dtype=np.int32)

    def draw(self, scores: Any) -> int:
        """A token of these scores (width,)."""
        self._array["id"], self._array["logit"] = self._ids, scores
        candidates = _ctypes_api.llama_token_data_array()
        candidates.data, candidates.size = self._data, len(self._ids)
        candidates.selected, candidates.sorted = -1, False
        pointer = ctypes.pointer(candidates)
        _ctypes_api.llama_sample_top_k(self._context, pointer, 40, 1)
        _ctypes_api.llama_sample_top_p(self._context, pointer, 0.95, 1)
        _ctypes_api.llama_sample_temp(self._context, pointer, 0.8)
        return int(_ctypes_api.llama_sample_token(self._context, pointer))


class Took(NamedTuple):
    """Seconds of each token of a text; the first one's hold the prompt's."""

    all: list[float]
    processor: list[float]


def one_text(llama: Any, sampler: Sampler, processor: Processor | None, count: int) -> Took:
    """Write a text of so many tokens."""
    context = llama._context
    context.kv_cache_clear()
    ids = list(range(1_000, 1_000 + PROMPT))
    batch = make_batch_range(ids, pos_start=0)
    took = Took([], [])
    for _ in range(count):
        began = time.perf_counter()
        assert context.decode(batch) == 0
        _ctypes_api.llama_batch_free(batch)
        scores = np.ctypeslib.as_array(context.get_logits(-1), (llama._model.n_vocab,))
        before = time.perf_counter()
        if processor is not None:
            scores = processor(np.array(ids, dtype=np.intc), scores)
        after = time.perf_counter()
        token = sampler.draw(scores)
        took.all.append(time.perf_counter() - began)
        took.processor.append(after - before)
        batch = make_batch_single(token, len(ids))
        ids.append(token)
    _ctypes_api.llama_batch_free(batch)
    return took


def main(arguments: list[str]) -> None:
    """Print the unmarked tokens a second, and each mark's over them."""
    assert "torch" not in sys.modules
    model, rounds, *profiles = arguments
    llama = IkLlama(model, n_ctx=512, n_threads=1)
    sampler = Sampler(llama)
    processors: dict[str, Processor | None] = {"unmarked": None}
    for path in profiles:
        processors[Path(path).stem] = Processor(stela.load(path), final=True)
    took: dict[str, list[Took]] = {name: [] for name in processors}
    for number in range(int(rounds) + 1):
        for name, processor in processors.items():
            text = one_text(llama, sampler, processor, TOKENS if number else 20)
            if processor is not None:
                processor.require_marked()
                processor.reset()
            if number:  # the first one compiles
                took[name].append(text)
    plain = took.pop("unmarked")
    rate = statistics.median(TOKENS / sum(text.all) for text in plain)
    print(f"{TOKENS} tokens a text, {rounds} texts, one thread: {rate:.1f} tokens a second; over unmarked:")
    for name, texts in took.items():
        ratios = [sum(own.all) / sum(text.all) for text, own in zip(texts, plain, strict=True)]
        step = statistics.median(second for text in texts for second in text.all[1:])
        own = statistics.mean(second for text in texts for second in text.processor[1:])
        first = statistics.median(
            text.all[0] / other.all[0] for text, other in zip(texts, plain, strict=True)
        )
        print(
            f"  {name:13} tokens a second {statistics.median(ratios):.3f} ({min(ratios):.3f} to "
            f"{max(ratios):.3f}), first token {first:.3f}; the processor takes {1e3 * own:.2f} of a step's "
            f"{1e3 * step:.1f} ms, {own / step:.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
