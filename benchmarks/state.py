"""A step at 100 and at 8,000 tokens: what it costs that a text is long."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from functools import cache

import torch
from transformers import GenerationConfig, LogitsProcessor

import stela_core as stela
from benchmarks.texts import Texts, registry
from stela_core.insertion import generate_call
from stela_core.models.load import load_tokenizer

SCHEMES = {
    "KGW": ("kgw", {}),
    "STELA, Penn": ("stela", {"tagger": "penn"}),
    "learned-text": ("learned-text", {"language": "en"}),
    "Gumbel": ("gumbel", {}),
}
BATCHES = (1, 8, 32)
LENGTHS = (100, 8000)
STEPS = 60
"""Measured before each length; their median is the step."""

Rows = list[list[int]]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of CPU time per step at both lengths, and their ratio."""
    torch.set_num_threads(1)
    rows = streams(texts, max(BATCHES), max(LENGTHS))
    print(
        f"ms of CPU time per step at {LENGTHS[0]:,} / {LENGTHS[1]:,} tokens = ratio; one thread, "
        f"vocabulary of tiny, median of {STEPS} steps"
    )
    print(f"{'':36}" + "".join(f"{f'batch {batch}':>26}" for batch in BATCHES))
    for label, measure in WAYS.items():
        for name in SCHEMES:
            cells = []
            for batch in BATCHES:
                own = suited(name, rows[:batch])
                short, long = (1e3 * statistics.median(times) for times in measure(name, own))
                cells.append(f"{short:.3f} / {long:.3f} = {long / short:.2f}")
            print(f"{label + ', ' + name:36}" + "".join(f"{cell:>26}" for cell in cells), flush=True)


def streams(texts: Texts, count: int, tokens: int) -> Rows:
    """Rows of human text of so many tokens, documents put together; from the beginning where they end."""
    tokenizer = load_tokenizer(registry(), "tiny")
    stream: list[int] = []
    for text in texts.read("en", 1, tokens):
        stream += tokenizer.encode(text, add_special_tokens=False).ids
        if len(stream) >= count * tokens:
            break
    return [[stream[(row * tokens + place) % len(stream)] for place in range(tokens)] for row in range(count)]


def suited(name: str, rows: Rows) -> Rows:
    """Rows that end as they begin, so that both lengths are measured on the same tokens, where these matter.

    To Gumbel's mark they do not, and it leaves a text alone that comes again.
    """
    if name == "Gumbel":
        return rows
    return [row[: len(row) - min(LENGTHS)] + row[: min(LENGTHS)] for row in rows]


def mark_of(name: str) -> stela.Watermark:
    """A mark that has tagged no window yet."""
    mark = _made(name)
    if mark.contexts is not None:
        mark.contexts._cache.clear()
    return mark


@cache
def _made(name: str) -> stela.Watermark:
    scheme, more = SCHEMES[name]
    return stela.create(scheme, model="tiny", key=2026, registry=registry(), **more)  # type: ignore[arg-type]


def stateless(name: str, rows: Rows) -> Iterator[list[float]]:
    """``wm.marker()`` over all ids of each row, in lists, as an engine has them."""
    scores = scores_of(len(rows))
    for length in LENGTHS:
        marker = mark_of(name).marker()
        own = [row[: length - STEPS] for row in rows]

        def step(place: int, own: Rows = own, marker: stela.Marker = marker) -> None:
            for ids, row in zip(own, rows, strict=True):
                ids.append(row[place])
            marker(own, scores)

        yield timed(step, range(length - STEPS, length))


def by_requests(name: str, rows: Rows) -> Iterator[list[float]]:
    """``wm.requests()``, tokens handed over one by one."""
    return requested(name, rows, record=False)


def by_recorded_requests(name: str, rows: Rows) -> Iterator[list[float]]:
    """The same with the weights kept."""
    return requested(name, rows, record=True)


def requested(name: str, rows: Rows, record: bool) -> Iterator[list[float]]:
    """The time of a step and of the tokens before it."""
    scores, names = scores_of(len(rows)), range(len(rows))
    for length in LENGTHS:
        requests = mark_of(name).requests(record=record)
        for request, row in zip(names, rows, strict=True):
            requests.add(request, row[: length - STEPS])

        def step(place: int, requests: stela.Requests = requests) -> None:
            for request, row in zip(names, rows, strict=True):
                requests.append(request, row[place])
            requests(names, scores)

        yield timed(step, range(length - STEPS, length))


def by_processor(name: str, rows: Rows) -> Iterator[list[float]]:
    """The processor, called as transformers' loop calls it."""
    return processed(name, rows, record=False)


def by_recording_processor(name: str, rows: Rows) -> Iterator[list[float]]:
    """The same with ``record=True``, as ``stela generate`` has it."""
    return processed(name, rows, record=True)


def processed(name: str, rows: Rows, record: bool) -> Iterator[list[float]]:
    """The measured steps of one call; what lies between them is taken in at once, as after a step back."""
    ids, scores = torch.tensor([[0, *row] for row in rows]), scores_of(len(rows))
    own = (generate_call._GENERATE, generate_call._IN_TURN)
    # The loop passes for transformers' own, which would take far longer than the processor.
    generate_call._GENERATE, generate_call._IN_TURN = _loop.__code__, (_call.__code__, _loop.__code__)
    try:
        for length in LENGTHS:
            processor = mark_of(name).logits_processor(record=record)
            config = GenerationConfig(do_sample=True)  # type: ignore[no-untyped-call]
            yield _loop(config, processor, ids, scores, length)
    finally:
        generate_call._GENERATE, generate_call._IN_TURN = own


def _loop(
    generation_config: GenerationConfig,
    processor: LogitsProcessor,
    ids: torch.Tensor,
    scores: torch.Tensor,
    length: int,
) -> list[float]:
    times = []
    _call(processor, ids[:, :1], scores.clone())
    for place in range(length - STEPS, length):
        input_ids, fresh = ids[:, : place + 1], scores.clone()  # the loop has just copied them
        began = time.thread_time()
        _call(processor, input_ids, fresh)
        times.append(time.thread_time() - began)
    return times


def _call(processor: LogitsProcessor, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    marked: torch.Tensor = processor(input_ids, scores)
    return marked


WAYS: dict[str, Callable[[str, Rows], Iterator[list[float]]]] = {
    "wm.marker()": stateless,
    "wm.requests()": by_requests,
    "wm.requests(), record": by_recorded_requests,
    "processor": by_processor,
    "processor, record": by_recording_processor,
}


def timed(step: Callable[[int], None], places: range) -> list[float]:
    """Seconds of this thread's CPU time of each call."""
    times = []
    for place in places:
        began = time.thread_time()
        step(place)
        times.append(time.thread_time() - began)
    return times


def scores_of(rows: int) -> torch.Tensor:
    """Logits of a step."""
    return torch.randn(rows, len(mark_of("KGW").tokens), generator=torch.Generator().manual_seed(rows))
