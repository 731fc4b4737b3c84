"""``stela run`` with one worker on one core and with two on two: how many times as fast."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.texts import Texts
from benchmarks.two_cores import Taken, keep_to

TEXTS, LENGTH, REPEATS = 128, 100, 3
EXPERIMENT = f"""
model = "tiny"
texts = {TEXTS}
lengths = [{LENGTH}]
batch_size = 16
metrics = ["roc", "fidelity-bias"]
schemes = [
  {{ name = "kgw", delta = 1.0 }},
  {{ name = "learned-text", delta = 1.0 }},
  {{ name = "unigram", delta = 1.0 }},
]
[languages.en]
tagger = "none"
prompts = "en.jsonl"
"""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the ratio of each pair of runs, and the most that CPU time allows."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "it.toml").write_text(EXPERIMENT, encoding="utf-8")
        with (folder / "en.jsonl").open("w", encoding="utf-8") as file:
            for number in range(TEXTS):
                continuation = f"The house of number {number} was built of stone, and it had a garden. " * 9
                file.write(json.dumps({"prompt": f"House {number}", "continuation": continuation}) + "\n")
        for number in range(REPEATS):
            one, two = (apart(folder, workers, number) for workers in (1, 2))
            print(
                f"3 times {TEXTS} texts of {LENGTH} tokens: {one.clock:.1f} s on one core, {two.clock:.1f} s "
                f"on two, {one.clock / two.clock:.2f} times as fast; "
                f"by CPU time {2 * one.cpu / two.cpu:.2f} at most",
                flush=True,
            )


def apart(folder: Path, workers: int, number: int) -> Taken:
    """The whole command, its start included, in a process that keeps to as many cores as it has workers."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), keep_to, (workers,)) as pool:
        return pool.submit(taken, folder, workers, f"run-{workers}-{number}").result()


def taken(folder: Path, workers: int, output: str) -> Taken:
    """Seconds of the command, and of CPU of all its processes."""
    command = [sys.executable, "-m", "stela_cli", "run", "it.toml", "--data", ".", "-o", output]
    # Else torch takes all cores for the products of one worker.
    threads = {"OMP_NUM_THREADS": "1"}
    before, began = children(), time.perf_counter()
    subprocess.run(
        [*command, "--executor", "local", "--workers", str(workers)],
        cwd=folder,
        env={**os.environ, **threads},
        check=True,
        capture_output=True,
    )
    return Taken(time.perf_counter() - began, children() - before)


def children() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
