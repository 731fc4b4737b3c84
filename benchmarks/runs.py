"""A run of many texts that cost nothing to make: memory and time of all that ``stela run`` does with them."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from stela_models.generation.generate import Generated, Sampling

import stela_core as stela
from benchmarks.texts import Texts

SIZES = (2_000, 10_000, 100_000)
LENGTH = 8
EXPERIMENT = f"""
model = "tiny-small"
lengths = [{LENGTH}]
metrics = ["roc", "fidelity-bias"]
schemes = [{{ name = "kgw", delta = 1.0 }}]
[languages.en]
tagger = "none"
prompts = "en.jsonl"
"""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print both for runs of more and more texts, each in a process of its own."""
    print(f"KGW: random tokens in place of a model's, {LENGTH} tested; marked, unmarked, human")
    context = multiprocessing.get_context("spawn")
    before: tuple[int, float] | None = None
    for size in (size for size in SIZES if size <= args.texts):
        with context.Pool(1) as pool:
            seconds, megabytes = pool.apply(measure, (size,))
        slope = ""
        if before is not None:
            slope = f"; {1e3 * (megabytes - before[1]) / (size - before[0]):.2f} MB for 1,000 more"
        print(f"{size:7,} texts: {seconds:6.1f} CPU seconds, {megabytes:6,.0f} MB at most{slope}", flush=True)
        before = size, megabytes


def measure(size: int) -> tuple[float, float]:
    """CPU seconds and megabytes at most of a run of so many texts."""
    from stela_run.cells import generating
    from stela_run.plan.plan import make_plan
    from stela_run.plan.read import read_experiment
    from stela_run.run import run_experiment

    with tempfile.TemporaryDirectory() as name, patch.object(generating, "generate", random_texts):
        folder = Path(name)
        (folder / "it.toml").write_text(EXPERIMENT, encoding="utf-8")
        with (folder / "en.jsonl").open("w", encoding="utf-8") as file:
            for number in range(size):
                continuation = f"The house of number {number} was built of stone, and it had a garden."
                file.write(json.dumps({"prompt": f"House {number}", "continuation": continuation}) + "\n")
        registry = stela.create_registry()
        plan = make_plan(registry, read_experiment(folder / "it.toml", {"texts": size}), folder)
        began = time.process_time()
        failed = run_experiment(registry, plan, folder / "run")
        assert not failed, (folder / "run" / "records.jsonl").read_text(encoding="utf-8")
        return time.process_time() - began, memory()


def memory() -> float:
    """Megabytes that this process has held at most; Linux alone tells."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def random_texts(
    watermark: stela.Watermark,
    language_model: Any,
    prompts: Sequence[str],
    sampling: Sampling,
    batch_size: int,
    keys: Sequence[int] | None = None,
    first: int = 0,
    messages: Sequence[int] | None = None,
    heard: object = None,
) -> Iterator[list[Generated]]:
    """In place of ``generate``: ids drawn by seed and number of the prompt, of whole words alone."""
    ids = [n for n in range(len(watermark.tokens)) if watermark.tokens.decode([n])[:1] == " "]
    for start in range(0, len(prompts), batch_size):
        batch = []
        for number, prompt in enumerate(prompts[start : start + batch_size], start=first + start):
            drawn = np.random.default_rng([sampling.seed, number]).choice(ids, sampling.max_new_tokens)
            row = drawn.tolist()
            batch.append(Generated(prompt, watermark.tokens.decode(row), row, [1.0] * len(row), 0.5))
        yield batch
