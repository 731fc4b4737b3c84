"""Time per step of each scheme's processor against our KGW's, plus a softmax where logits are read."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from stela_models.tokenizer import load_tokenizer
from stela_transformers.processor import WatermarkLogitsProcessor

from benchmarks.insertion import BATCHES, VOCABULARY
from benchmarks.texts import Texts, registry
from stela_core.insertion.marker import Marker
from stela_core.profile.create import Settings

STEPS = 60
WARM_UP = 10
OURS = ("kgw", "unigram", "ewd", "learned-text", "sweet", "morphmark")
READ_LOGITS = ("sweet", "morphmark")
"""Their allowance is KGW's step and one softmax over the vocabulary."""

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds per step, and the ratio to what the scheme is allowed to take."""
    print(
        f"ms per step, vocabulary {VOCABULARY:,}, {torch.get_num_threads()} threads, median of {STEPS} steps"
    )
    print(f"{'':14}" + "".join(f"{f'batch {batch}':>22}" for batch in BATCHES))
    times = {batch: measure(batch) for batch in BATCHES}
    for name in (*OURS, "softmax"):
        cells = []
        for batch in BATCHES:
            kgw, softmax, own = (times[batch][key] for key in ("kgw", "softmax", name))
            allowed = kgw + softmax if name in READ_LOGITS else kgw
            ratio = "" if name == "softmax" else f" / {allowed:.3f} = {own / allowed:.2f}"
            cells.append(f"{own:.3f}{ratio}")
        print(f"{name:14}" + "".join(f"{cell:>22}" for cell in cells), flush=True)
    print("ours / KGW's step = ratio; for sweet and morphmark, ours / (KGW's step + softmax)")


def measure(batch: int) -> dict[str, float]:
    """Median ms per step of each processor and of a softmax, which take turns at each step."""
    generator = torch.Generator().manual_seed(batch)
    scores = torch.randn(batch, VOCABULARY, generator=generator) * 3
    ids = torch.randint(300, 8000, (batch, 1 + WARM_UP + STEPS), generator=generator)
    processors = {name: wide(name) for name in OURS}
    times: dict[str, list[float]] = {name: [] for name in (*OURS, "softmax")}
    for length in range(1, ids.shape[1] + 1):
        for name, processor in processors.items():
            fresh = scores.clone()  # generate() hands over a copy it has just made
            began = time.perf_counter()
            processor(ids[:, :length], fresh)
            times[name].append(time.perf_counter() - began)
        fresh = scores.clone()
        began = time.perf_counter()
        fresh.softmax(dim=-1)
        times["softmax"].append(time.perf_counter() - began)
    return {name: 1e3 * statistics.median(seconds[1 + WARM_UP :]) for name, seconds in times.items()}


def wide(scheme: str) -> Processor:
    """A scheme's processor, its green list over a large vocabulary."""
    created = Settings(scheme, language="en").create(
        registry(), load_tokenizer(registry(), "tiny"), 2026, public=True
    )
    return WatermarkLogitsProcessor(Marker(created.composition, created.tokens, None, VOCABULARY))
