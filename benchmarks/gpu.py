"""What marks cost on a GPU, in at most ten minutes: ``python -m benchmarks.gpu [-o FILE] [--minutes 10]``.

Nothing is fetched: the models have random weights in bfloat16, the tokenizer is one of 262,144 made-up words.
The parts, until the minutes are over (what was left out is said):

- ``kernels``: each mark's pass over logits, beside one softmax, and the draw of tokens beside torch's own;
- ``steps``: a step of a model in its cache, and what a mark's processor adds to it;
- ``generate``: tokens a second of transformers' ``generate``, marked over unmarked, in turn;
- ``vllm``: the same of vLLM, where it is installed here, with ``stela_vllm:Processor``.

Times are medians by the clock, the device waited for. On a machine without a GPU a small model stands in, to
try the script: ``--billions 0.01``.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stela_kernels.draws import drawn
from stela_kernels.row_seeds import row_seeds

import stela_core as stela
from benchmarks.gpu_vllm import vllm
from benchmarks.shown import Shown
from benchmarks.wide_vocabulary import wide_tokenizer

SCHEMES = ("kgw", "learned-text", "gumbel", "synthid", "coupling")
OPTIONS: dict[str, dict[str, Any]] = {"learned-text": {"language": "en"}}
BATCHES = (1, 8, 64)
LAYERS = {1: (2048, 16, 8192), 3: (3072, 26, 8192), 8: (4096, 32, 14336)}
"""Width, layers and inner width of Llama's shape, by billions of parameters without embeddings."""
PARTS = ("kernels", "steps", "generate", "vllm")
Marks = Mapping[str, Any]
"""New watermarks by scheme."""
HEAD = ["part", "what", "batch", "ms or tokens a second", "over"]


class Clock:
    """The minutes that are left, and times on a device.

    Args:
        device: that is waited for.
        minutes: from now on.
    """

    def __init__(self, device: torch.device, minutes: float) -> None:
        self._device = device
        self._end = time.monotonic() + 60 * minutes

    @property
    def left(self) -> float:
        """Seconds."""
        return self._end - time.monotonic()

    def wait(self) -> None:
        """Until the device has done all that it was given."""
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def ms(self, work: Callable[[], object], repeats: int = 20) -> float:
        """Median milliseconds of a call after two to warm up; fewer repeats where one takes long."""
        for _ in range(2):
            work()
        self.wait()
        times: list[float] = []
        began = time.perf_counter()
        while len(times) < repeats and (len(times) < 3 or time.perf_counter() - began < 2):
            start = time.perf_counter()
            work()
            self.wait()
            times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times)


def marks(tokenizer: Any) -> Marks:
    """A mark of each scheme that is installed."""
    registry = stela.create_registry()
    made: dict[str, Any] = {}
    for scheme in SCHEMES:
        try:
            given = OPTIONS.get(scheme, {})
            made[scheme] = stela.create(scheme, tokenizer=tokenizer, key=7, registry=registry, **given)
        except stela.StelaError as error:
            print(f"left out: {scheme}: {error}", flush=True)
    return made


def by_torch(logits: torch.Tensor) -> torch.Tensor:
    """Tokens (rows, 1) drawn from logits (rows, width) by torch's own generator."""
    return torch.multinomial(torch.softmax(logits, -1), 1)


def kernels(clock: Clock, device: torch.device, every: Marks) -> Iterator[list[Any]]:
    """Milliseconds of each mark's pass over logits (batch, vocabulary), and of a draw from them."""
    for batch in BATCHES:
        width = next(iter(every.values())).marker().vocabulary
        logits = 3 * torch.randn(batch, width, device=device)
        ids = [[5, 6, 7, 8, 9 + row] for row in range(batch)]
        softmax = clock.ms(partial(torch.softmax, logits, -1))
        yield ["kernels", "softmax", batch, softmax, ""]
        for scheme, mark in every.items():
            marker = mark.marker()
            took = clock.ms(partial(marker.apply, marker.step(ids), logits))
            yield ["kernels", scheme, batch, took, f"{took / softmax:.2f} of a softmax"]
        seeds = row_seeds(1, range(batch), 1)
        theirs = clock.ms(partial(by_torch, logits))
        took = clock.ms(partial(drawn, logits, seeds))
        yield [
            "kernels",
            "draw by a row's seed",
            batch,
            took,
            f"{took / theirs:.2f} of softmax and multinomial",
        ]


def random_model(billions: float, vocabulary: int, device: torch.device) -> Any:
    """Llama's shape with random weights in bfloat16, on the device."""
    from transformers import LlamaConfig, LlamaForCausalLM

    width, layers, inner = LAYERS.get(round(billions), (128, 2, 256))
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=max(2, width // 128),
        num_key_value_heads=2,
        tie_word_embeddings=True,
        bos_token_id=0,
        eos_token_id=0,
        pad_token_id=0,
    )
    torch.set_default_dtype(torch.bfloat16)
    with torch.device(device):
        model = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    model.train(False)
    return model


def steps(clock: Clock, device: torch.device, every: Marks, model: Any) -> Iterator[list[Any]]:
    """Milliseconds of a step of the model in its cache, and of each mark's processor on its logits."""
    for batch in BATCHES:
        ids = torch.randint(300, 9000, (batch, 128), device=device)
        with torch.inference_mode():
            out = model(ids, use_cache=True, logits_to_keep=1)
        cache, logits = out.past_key_values, out.logits[:, -1].float()

        def step(ids: torch.Tensor = ids, cache: Any = cache) -> None:
            with torch.inference_mode():
                model(ids[:, -1:], past_key_values=cache, use_cache=True, logits_to_keep=1)

        own = clock.ms(step)
        yield ["steps", "the model", batch, own, ""]
        for scheme, mark in every.items():
            processor = mark.logits_processor()
            processor(ids[:, :100], logits)  # what is before is the prompt
            length = iter(range(101, 129))

            def added(processor: Any = processor, length: Any = length) -> None:
                processor(ids[:, : next(length)], logits)  # noqa: B023 - called within the loop's round

            took = clock.ms(added)
            yield ["steps", scheme, batch, took, f"{took / own:.4f} of the model's step"]


def generation(clock: Clock, device: torch.device, every: Marks, model: Any) -> Iterator[list[Any]]:
    """Tokens a second of ``generate``, marked over unmarked, in turn."""
    tokens = 64
    for batch in (1, 32):
        prompt = torch.randint(300, 9000, (batch, 16), device=device)

        def rate(mark: stela.Watermark | None, prompt: torch.Tensor = prompt) -> float:
            given: dict[str, Any] = {}
            if mark is not None:
                processor = mark.logits_processor()
                given = {"logits_processor": [processor], "stopping_criteria": [processor.early_ids]}
            clock.wait()
            began = time.perf_counter()
            model.generate(
                prompt, do_sample=True, top_k=0, max_new_tokens=tokens, min_new_tokens=tokens, **given
            )
            clock.wait()
            return len(prompt) * tokens / (time.perf_counter() - began)

        for scheme, mark in every.items():
            rate(mark)
            pairs = [(rate(mark), rate(None)) for _ in range(3)]
            ratio = statistics.median(own / plain for own, plain in pairs)
            yield ["generate", scheme, batch, statistics.median(own for own, _ in pairs), f"{ratio:.3f}"]
            if clock.left < 0:
                print(f"left out: what comes after {scheme} at batch {batch}: no time left", flush=True)
                return


def rows(args: argparse.Namespace, device: torch.device) -> Iterator[list[Any]]:
    """All rows, until the minutes are over."""
    clock, parts = Clock(device, args.minutes), args.parts.split(",")
    tokenizer = wide_tokenizer()
    every = marks(tokenizer)
    if "kernels" in parts:
        yield from kernels(clock, device, every)
    model = random_model(args.billions, tokenizer.get_vocab_size(), device)
    count = sum(weight.numel() for weight in model.parameters())
    yield ["model", f"{count / 1e9:.2f} billion parameters, {model.dtype}", "", float("nan"), ""]
    for part, work in (("steps", steps), ("generate", generation)):
        if part in parts and clock.left > 30:
            yield from work(clock, device, every, model)
        elif part in parts:
            print(f"left out: {part}: no time left", flush=True)
    if "vllm" in parts and (args.python or find_spec("vllm")):
        model.to("meta")
        if device.type == "cuda":
            torch.cuda.empty_cache()
        yield from vllm(
            lambda: clock.left, every, model, args.python or sys.executable, json.loads(args.vllm_options)
        )
    elif "vllm" in parts:
        print("left out: vllm, which is not installed here", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--billions", type=float, default=8, help="1, 3 or 8; others are a tiny one")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--python", help="of an environment with vLLM and stela-serving, where it is another")
    parser.add_argument("--vllm-options", default='{"gpu_memory_utilization": 0.6}', help="of LLM, as JSON")
    parser.add_argument("-o", "--output", type=Path, help="also write the rows to this CSV file")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    named = torch.cuda.get_device_name() if device.type == "cuda" else platform.processor() or "a CPU"
    torch.manual_seed(0)
    np.random.seed(0)
    print(f"{named}, torch {torch.__version__}", flush=True)
    shown = Shown(HEAD, args.output)
    for row in rows(args, device):
        shown.add([f"{each:.4g}" if isinstance(each, float) else str(each) for each in row])


if __name__ == "__main__":
    main()
