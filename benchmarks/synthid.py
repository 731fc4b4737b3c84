"""SynthID marks: texts per second, time of the bits, and of a step beside transformers' in the same run."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from stela_models.tokenizer import load_tokenizer
from stela_synthid.hasher import SynthIdHasher
from transformers import SynthIDTextWatermarkLogitsProcessor

from benchmarks.texts import Texts, registry
from stela_core.profile.create import Settings
from stela_core.watermark import Watermark

TOKENS = 200
COUNT = 300
SIZE = 32_000
BATCH = 8
KEPT = 50
KEY = 2026


def mark_of(layers: str) -> Watermark:
    """A profile of the embedded model's tokenizer with 30 layers."""
    settings = Settings("synthid", hasher_parameters={"layers": layers})
    created = settings.create(registry(), load_tokenizer(registry(), "tiny"), KEY, public=True)
    return Watermark(created.archive, None, registry())


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print texts per second of one process, by the clock and by its CPU time, and time per step."""
    documents = texts.documents("en", COUNT, TOKENS)
    for layers in ("weighted", "mean"):
        mark = mark_of(layers)
        written = [mark.tokens.decode(ids) for ids in documents]
        for what, detect in (
            ("ids", partial(mark.detect_ids, documents)),
            ("text", partial(mark.detect_many, written)),
        ):
            mark.detect_many(written[:3])
            began, busy = time.perf_counter(), time.process_time()
            detect()
            wall, cpu = time.perf_counter() - began, time.process_time() - busy
            print(
                f"detection of {what}, {layers}, {TOKENS} tokens: {COUNT / wall:.0f} texts/s, "
                f"{COUNT / cpu:.0f} a second of CPU",
                flush=True,
            )
    hasher = mark.parts.hasher
    assert isinstance(hasher, SynthIdHasher)
    seeds = np.random.default_rng(0).integers(0, 2**63, TOKENS).astype(np.uint64)
    bits = cpu_ms(lambda: hasher.g_values(seeds, np.arange(TOKENS)), 200)
    print(f"bits of {TOKENS} tokens x 30 layers{'':10}{1e3 * bits:8.1f} microseconds", flush=True)
    for kept in (None, KEPT):
        steps(hasher, kept)


def steps(hasher: SynthIdHasher, kept: int | None) -> None:
    """A step over the whole vocabulary, or after a truncation to the likeliest tokens."""
    torch.manual_seed(0)
    scores = 3 * torch.randn(BATCH, SIZE)
    if kept is not None:
        scores[scores < scores.topk(kept).values[:, -1:]] = -torch.inf
    seeds = np.random.default_rng(1).integers(0, 2**63, BATCH).astype(np.uint64)
    chosen = hasher.settings
    signed = hasher.keys.view(np.int64).tolist()
    sizes = (chosen.table_size, chosen.table_seed, 1024)
    theirs: Any = SynthIDTextWatermarkLogitsProcessor(
        chosen.context_width + 1, signed, *sizes, torch.device("cpu")
    )
    ids = torch.zeros(BATCH, 1, dtype=torch.long)
    ours = cpu_ms(lambda: hasher.mark(scores, seeds, SIZE), 20)
    peer = cpu_ms(lambda: theirs(ids, scores), 3)
    softmax = cpu_ms(lambda: torch.softmax(scores, 1), 50)
    print(
        f"{SIZE:,} ids, batch {BATCH}, {kept or 'all'} tokens kept: {ours:.2f} ms of CPU per step, "
        f"softmax {softmax:.2f}; transformers {peer:.1f}; ratio {ours / peer:.4f}",
        flush=True,
    )


def cpu_ms(step: Callable[[], object], repeats: int) -> float:
    """Milliseconds of one thread's own time a call, the median, after one call to warm up."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    step()
    times = []
    for _ in range(repeats):
        began = time.process_time()
        step()
        times.append(time.process_time() - began)
    torch.set_num_threads(threads)
    return 1e3 * statistics.median(times)
