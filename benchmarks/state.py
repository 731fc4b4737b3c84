"""A step at 100 and at 8,000 tokens: what it costs that a text is long."""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import cache, partial

import torch
from stela_models.tokenizer import load_tokenizer
from stela_transformers import generate_call
from transformers import GenerationConfig, LogitsProcessor

import stela_core as stela
from benchmarks.texts import Texts, registry

SCHEMES = {
    "KGW": ("kgw", {}),
    "STELA, Penn": ("stela", {"tagger": "penn"}),
    "learned-text": ("learned-text", {"language": "en"}),
    "Gumbel": ("gumbel", {}),
}
BATCHES = (1, 8, 32)
LENGTHS = (100, 8000)
STEPS = 60
"""Before each length; the median of the last ones is the step."""
WARM_UP = 10

Rows = list[list[int]]
Step = Callable[[int], None]
"""Takes the place of the token that comes before it."""
Way = Callable[[str, Rows, int], Step]
"""Makes the steps of a scheme on rows, from so many tokens on."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of CPU time per step at both lengths, and their ratio."""
    torch.set_num_threads(1)
    rows = streams(texts, max(BATCHES), max(LENGTHS))
    print(
        f"ms of CPU time per step at {LENGTHS[0]:,} / {LENGTHS[1]:,} tokens, in turn, = ratio; one thread, "
        f"vocabulary of tiny, median of {STEPS - WARM_UP} steps"
    )
    print(f"{'':36}" + "".join(f"{f'batch {batch}':>26}" for batch in BATCHES))
    for label, way in WAYS.items():
        for name in SCHEMES:
            cells = []
            for batch in BATCHES:
                short, long = measure(way, name, suited(name, rows[:batch]))
                cells.append(f"{short:.3f} / {long:.3f} = {long / short:.2f}")
            print(f"{label + ', ' + name:36}" + "".join(f"{cell:>26}" for cell in cells), flush=True)


def measure(way: Way, name: str, rows: Rows) -> list[float]:
    """Median ms of CPU time at each length; both take turns, as other work on the machine comes and goes."""
    steps = [way(name, rows, length - STEPS) for length in LENGTHS]
    times: list[list[float]] = [[] for _ in LENGTHS]
    for place in range(STEPS):
        for number in (0, 1) if place % 2 else (1, 0):
            mark_of(name)  # no window of this step has been tagged
            began = time.thread_time()
            steps[number](LENGTHS[number] - STEPS + place)
            times[number].append(time.thread_time() - began)
    return [1e3 * statistics.median(own[WARM_UP:]) for own in times]


def streams(texts: Texts, count: int, tokens: int) -> Rows:
    """Rows of human text of so many tokens, documents put together; from the beginning where they end."""
    tokenizer = load_tokenizer(registry(), "tiny")
    stream: list[int] = []
    characters = 6 * count * tokens
    for text in texts.some("en", characters) if texts.data else texts.read("en", 1, tokens):
        stream += tokenizer.encode(text, add_special_tokens=False).ids
        if len(stream) >= count * tokens:
            break
    return [[stream[(row * tokens + place) % len(stream)] for place in range(tokens)] for row in range(count)]


def suited(name: str, rows: Rows) -> Rows:
    """Rows that end as they begin, so that both lengths are measured on the same tokens.

    Gumbel's mark leaves contexts alone that come again, and a step with such rows takes longer: it gets
    tokens at random, for to it they are all alike.
    """
    if name == "Gumbel":
        draws = random.Random(0)
        return [[draws.randrange(300, 8000) for _ in row] for row in rows]
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


def stateless(name: str, rows: Rows, start: int) -> Step:
    """``wm.marker()`` over all ids of each row, in lists, as an engine has them."""
    marker, scores, own = mark_of(name).marker(), scores_of(len(rows)), [row[:start] for row in rows]

    def step(place: int) -> None:
        for ids, row in zip(own, rows, strict=True):
            ids.append(row[place])
        marker(own, scores)

    return step


def by_requests(name: str, rows: Rows, start: int, record: bool = False) -> Step:
    """``wm.requests()``, tokens handed over one by one."""
    requests, scores, names = mark_of(name).requests(record=record), scores_of(len(rows)), range(len(rows))
    for request, row in zip(names, rows, strict=True):
        requests.add(request, row[:start])

    def step(place: int) -> None:
        for request, row in zip(names, rows, strict=True):
            requests.append(request, row[place])
        requests(names, scores)

    return step


def by_processor(name: str, rows: Rows, start: int, record: bool = False) -> Step:
    """The processor, called as transformers' loop calls it; the first ids are taken in at once."""
    processor, scores = mark_of(name).logits_processor(record=record), scores_of(len(rows))
    config = GenerationConfig(do_sample=True)  # type: ignore[no-untyped-call]
    ids = torch.tensor([[0, *row] for row in rows])

    def at(length: int) -> None:
        # The loop passes for transformers' own, which takes far longer than the processor.
        own = (generate_call._GENERATE, generate_call._LIST)
        generate_call._GENERATE, generate_call._LIST = _loop.__code__, _call.__code__
        try:
            _loop(config, processor, ids[:, :length], scores)
        finally:
            generate_call._GENERATE, generate_call._LIST = own

    at(1)
    at(1 + start)
    return lambda place: at(place + 2)


def _loop(
    generation_config: GenerationConfig, processor: LogitsProcessor, ids: torch.Tensor, scores: torch.Tensor
) -> None:
    _call(processor, ids, scores)


def _call(processor: LogitsProcessor, input_ids: torch.Tensor, scores: torch.Tensor) -> None:
    processor(input_ids, scores)


WAYS: dict[str, Way] = {
    "wm.marker()": stateless,
    "wm.requests()": by_requests,
    "wm.requests(), record": partial(by_requests, record=True),
    "processor": by_processor,
    "processor, record": partial(by_processor, record=True),
}


@cache
def scores_of(rows: int) -> torch.Tensor:
    """Logits of a step."""
    return torch.randn(rows, len(mark_of("KGW").tokens), generator=torch.Generator().manual_seed(rows))
