"""The metric ``roc`` on few and on many texts: CPU seconds and memory of a process of its own."""

from __future__ import annotations

import argparse
import multiprocessing
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.texts import Texts

SIZES = (1_000, 16_000, 100_000)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print both for as many marked as unmarked texts, a test each."""
    print("marked and human texts, a test each; 1,000 resamples of the bootstrap")
    context = multiprocessing.get_context("spawn")
    for size in SIZES:
        with context.Pool(1) as pool:
            seconds, megabytes = pool.apply(measure, (size,))
        print(f"{size:7,} texts: {seconds:6.1f} CPU seconds, {megabytes:6,.0f} MB at most", flush=True)


def measure(size: int) -> tuple[float, float]:
    """CPU seconds, and megabytes at most beyond what the process held before, for so many texts."""
    from stela_roc import Roc, RocParameters

    sample = sample_of(size)
    held = memory("VmRSS")
    began = time.process_time()
    Roc(RocParameters(rates=(0.05, 0.01, 0.001))).measure(sample)
    return time.process_time() - began, memory("VmHWM") - held


def memory(name: str) -> float:
    """Megabytes that this process holds (VmRSS), or has held at most (VmHWM); Linux alone tells."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith(f"{name}:")]
    return int(line.split()[1]) / 1024


def sample_of(size: int) -> Any:
    """A sample of which the metric sees p-values: small of marked texts, uniform of human ones."""
    rng = np.random.default_rng(1)

    def test(p_value: float) -> SimpleNamespace:
        return SimpleNamespace(p_value=p_value)

    return SimpleNamespace(
        length=200,
        seed=1,
        marked=[SimpleNamespace(detection=test(p)) for p in (rng.random(size) ** 4).tolist()],
        human=[SimpleNamespace(detections=[test(p)]) for p in rng.random(size).tolist()],
        model_text=[],
    )
