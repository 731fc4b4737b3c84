"""A green list's bias on bfloat16 logits: one pass over their bits, torch operations, and a plain copy."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from benchmarks.texts import Texts
from stela_core.kernels import bfloat_rows, torch_bias

ROWS, ROUNDS = 8, 15


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of one thread's own time, and ratios to the copy."""
    torch.set_num_threads(1)
    print(
        f"{ROWS} rows; milliseconds of CPU: a copy; the pass, and torch operations, with their ratios to it"
    )
    for ids in (32_000, 151_936, 262_144):
        scores = torch.randn(ROWS, ids, generator=torch.Generator().manual_seed(0)).bfloat16()
        seeds = np.arange(ROWS, dtype=np.uint64) * 7919
        arguments = (scores, seeds, [2.0] * ROWS, ids, 0.5)
        copy = milliseconds(scores.clone)
        both = [milliseconds(partial(one.add_bias, *arguments)) for one in (bfloat_rows, torch_bias)]
        shown = "".join(f"  {taken:7.3f} = {taken / copy:5.1f}" for taken in both)
        print(f"{ids:8,} ids {copy:7.3f}{shown}")


def milliseconds(work: Callable[[], object]) -> float:
    """Median milliseconds of this process's CPU, after one call to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - began))
    return statistics.median(times)
