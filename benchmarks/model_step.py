"""What a mark adds to a step of a real language model: CPU time as a ratio to the model's own, and memory."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import torch
from stela_models.load import load_model

import stela_core as stela
from benchmarks.texts import Texts, registry

BATCHES = (1, 8, 32)
STEPS = 12
MARKS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kgw", {}),
    ("learned-text", {"language": "en"}),
    ("stela", {"tagger": "penn"}),
    ("sweet", {}),
    ("morphmark", {}),
    ("gumbel", {}),
)
PROMPT = "The history of the town begins with a bridge, and with a market that was held beside it each week"


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of CPU of the model's step and of each mark's, and the memory that each takes."""
    name = args.model or "tiny"
    torch.set_num_threads(1)
    language_model = load_model(registry(), name)
    marks = {}
    for scheme, options in MARKS:
        with suppress(stela.StelaError):  # a tagger that is not installed
            made = stela.create(scheme, model=name, key=7, registry=registry(), **options)
            marks[" ".join((scheme, *options.values()))] = made
    width = language_model.model.config.get_text_config().vocab_size
    print(f"{name}: {width:,} ids, float32, one thread; a step after 60 tokens, medians of {STEPS} steps")
    for batch in BATCHES:
        step, ids, logits = steps_of(language_model.model, language_model.tokenizer, batch)
        own = milliseconds(step)
        print(f"batch {batch}: the model {own:.1f} ms a step; logits {logits.nbytes / 2**20:.0f} MiB")
        for label, mark in marks.items():
            processor = mark.logits_processor()
            processor(ids[:, :40], logits)  # what is before is the prompt
            grown = [ids[:, : 41 + n] for n in range(STEPS)]
            processor(grown[0], logits)  # compiles what it needs
            peak = peak_mib(partial(processor, grown[1], logits))
            took = statistics.median(milliseconds(partial(processor, rows, logits), 1) for rows in grown[2:])
            print(f"  {label:22} {took:9.2f} ms = {took / own:.4f} of it; at its peak {peak:.0f} MiB more")


def peak_mib(work: Callable[[], object]) -> float:
    """Mebibytes that the process holds at most while it works, beyond those before; Linux alone tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from now on
    before = _kib(status, "VmRSS")
    work()
    return (_kib(status, "VmHWM") - before) / 1024


def _kib(status: Path, name: str) -> int:
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(name))


def steps_of(model: Any, tokenizer: Any, batch: int) -> tuple[Callable[[], None], torch.Tensor, torch.Tensor]:
    """A function that runs one more step of the model; ids (batch, 60) and the logits after them."""
    ids = tokenizer([PROMPT] * batch, return_tensors="pt").input_ids
    ids = torch.cat([ids] * (60 // ids.shape[1] + 1), dim=1)[:, :60]
    ids += torch.arange(batch)[:, None]  # no two rows are alike
    with torch.inference_mode():
        out = model(ids, use_cache=True, logits_to_keep=1)

    def step() -> None:
        with torch.inference_mode():
            model(ids[:, -1:], past_key_values=out.past_key_values, use_cache=True, logits_to_keep=1)

    return step, ids, out.logits[:, -1].clone()


def milliseconds(work: Callable[[], object], count: int = STEPS) -> float:
    """Median milliseconds of this process's CPU."""
    times = []
    for _ in range(count):
        began = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - began))
    return statistics.median(times)
