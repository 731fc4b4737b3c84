"""Time per step of marks that carry messages, beside the same marks without one."""

from __future__ import annotations

import argparse
import csv
import io
import statistics
import time

import numpy as np
import torch

import stela_core as stela
from benchmarks.insertion import BATCHES, VOCABULARY
from benchmarks.texts import Texts, registry
from stela_core.insertion.marker import Marker

STEPS = 60
START = 60
"""Tokens already there."""

MARKS = (("kgw", 16), ("kgw", 64), ("gumbel", 16), ("gumbel", 64))


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print docs/results/benchmarks/messages.csv: CPU milliseconds per step of both, and their ratio."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("mark", "bits", "batch", "with a message, ms", "without, ms", "ratio"))
    for scheme, bits in MARKS:
        for batch in BATCHES:
            ours, plain = measure(scheme, bits, batch)
            rows.writerow((scheme, bits, batch, f"{ours:.3f}", f"{plain:.3f}", f"{ours / plain:.3f}"))
            print(out.getvalue(), end="", flush=True)
            out.seek(0)
            out.truncate()


def measure(scheme: str, bits: int, batch: int) -> tuple[float, float]:
    """Median CPU milliseconds per step with a message for each row, and without; they take turns."""
    rng = np.random.default_rng(0)
    marks = Wide(scheme, None, batch), Wide(scheme, bits, batch)
    ids = rng.integers(0, marks[0].vocabulary, (batch, START + STEPS)).tolist()
    scores = torch.from_numpy((4 * rng.standard_normal((batch, VOCABULARY))).astype(np.float32))
    times: tuple[list[float], list[float]] = ([], [])
    for length in range(START, START + STEPS):
        rows = [row[:length] for row in ids]
        for number in (0, 1) if length % 2 else (1, 0):
            fresh = scores.clone()
            began = time.process_time()
            marks[number].marker(rows, fresh)
            times[number].append(time.process_time() - began)
    plain, ours = (1e3 * statistics.median(each[STEPS // 6 :]) for each in times)  # the first ones compile
    return ours, plain


class Wide:
    """A mark over a large vocabulary, with nothing cached."""

    def __init__(self, scheme: str, bits: int | None, rows: int) -> None:
        mark = stela.create(scheme, model="tiny", key="public", bits=bits, registry=registry())
        parts, marks = mark.parts, None
        if parts.encoder is not None and bits is not None:
            messages = [number * 0x9E3779B97F4A7C15 % (1 << bits) for number in range(rows)]
            marks = [parts.encoder.carrying(parts.hasher, message) for message in messages]
        self.vocabulary = mark.profile.vocab_size
        """Ids of the texts."""
        self.marker = Marker(parts, mark.tokens, mark.contexts, VOCABULARY, marks=marks)
