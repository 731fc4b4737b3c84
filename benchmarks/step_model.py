"""What a mark would add to a decode step on a GPU: a model of the step, of parts measured without one."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from benchmarks.texts import Texts, watermark

BATCH = 64
FORWARD = 20.0
"""Milliseconds of a decode step of a model of 7 B parameters at this batch: assumed."""
WIDTH = 151_936
BANDWIDTH = 2e12
"""Bytes a second of the GPU's memory: assumed."""
COPY = 0.02
"""Milliseconds of a small copy between GPU and host: assumed; ids come, seeds and biases go back."""
START, STEPS = 60, 24
MARKS: dict[str, tuple[str, str, float | None]] = {
    "KGW": ("kgw", "en", 0.005),
    "learned-text (en)": ("learned-text", "en", 0.01),
    "STELA, Penn (en)": ("stela", "en", 0.02),
    "STELA, Sejong (ko)": ("stela", "ko", 0.02),
    "STELA, CTB (zh)": ("stela", "zh", None),
}
"""Scheme, language, and the largest share that is wanted."""


class Exposed(NamedTuple):
    """Milliseconds by which a step gets longer."""

    after: float
    """All host work is done between two passes of the model."""
    during: float
    """It is done while the model runs: what it lasts longer, and what has to follow."""


def exposed(host: float, forward: float = FORWARD, copies: float = 2 * COPY, kernel: float = 0.0) -> Exposed:
    """The model: ids go to the host, its work, seeds and biases go back, a kernel adds the biases.

    Args:
        host: milliseconds of the host's work in a step.
        forward: of the model's pass.
        copies: of both copies.
        kernel: of adding the biases, which needs the logits.
    """
    return Exposed(host + copies + kernel, max(0.0, host + copies - forward) + kernel)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print each scheme's host work and what of it would show."""
    torch.set_num_threads(1)
    kernel = 1e3 * 2 * 4 * BATCH * WIDTH / BANDWIDTH
    print(
        f"a model of a step, no measurement of a GPU: batch {BATCH}, a pass of {FORWARD:.0f} ms (assumed), "
        f"two copies of {COPY} ms (assumed),\n{kernel:.3f} ms to add biases to {WIDTH:,} logits a row "
        f"at {BANDWIDTH / 1e12:.0f} TB/s (assumed); "
        "host work is measured: CPU time, on one thread,\n"
        "without what it would wait for the thread that launches the model"
    )
    print(f"{'':20}{'host work':>12}{'in between':>14}{'during the pass':>18}{'wanted':>9}")
    for name, (scheme, language, most) in MARKS.items():
        host = host_ms(texts, scheme, language)
        steps = [exposed(one, kernel=kernel) for one in host]
        after, during = (statistics.mean(own) / FORWARD for own in zip(*steps, strict=True))
        verdict = "" if most is None else f"{most:9.1%} {'met' if during <= most else 'not met'}"
        print(f"{name:20}{statistics.mean(host):9.2f} ms{after:14.2%}{during:18.2%}{verdict}", flush=True)
    hashed, looked_up = seeds_ms()
    print(
        f"of that, seeds of {BATCH} rows: {hashed:.3f} ms hashed; "
        f"{looked_up:.4f} ms where their last ids came before (KGW)"
    )


def host_ms(texts: Texts, scheme: str, language: str) -> list[float]:
    """CPU milliseconds of each step's host work: tokens taken, contexts tagged, seeds, weights, biases."""
    rows = texts.documents(language, BATCH, START + STEPS)
    watermark.cache_clear()  # no window is tagged yet
    requests = watermark(scheme, language).requests()
    for name, row in enumerate(rows):
        requests.add(name, row[:START])
    names = range(len(rows))
    requests.step(names)
    times = []
    for place in range(START, START + STEPS):
        began = time.process_time()
        for name, row in zip(names, rows, strict=True):
            requests.append(name, row[place])
        requests.step(names)
        times.append(1e3 * (time.process_time() - began))
    return times[2:]


def seeds_ms() -> tuple[float, float]:
    """Median CPU milliseconds of a batch's seeds, hashed and looked up; both give the same."""
    hasher = watermark("kgw", "en").parts.hasher
    ids = np.random.default_rng(0).integers(0, 8000, (200, BATCH, 1))
    rows = range(BATCH)
    for own in ids:
        assert (hasher.seeds_of(rows, own) == hasher.seeds(own)).all()

    def median(work: Callable[[np.ndarray], object]) -> float:
        times = []
        for own in ids:
            began = time.process_time()
            work(own)
            times.append(1e3 * (time.process_time() - began))
        return statistics.median(times)

    return median(hasher.seeds), median(lambda own: hasher.seeds_of(rows, own))
