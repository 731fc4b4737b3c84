"""Gumbel marks: choosing a token beside one softmax over the vocabulary, and texts per second."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import cast

import numpy as np
import torch

import stela_core as stela
from benchmarks.interop import per_second
from benchmarks.texts import Texts, registry
from stela_core.composition import Composition
from stela_core.detection.detector import Detector

SCHEMES = ("gumbel", "gumbel-vllm", "gumbel-vllm-dual", "gumbel-sglang")
VOCABULARIES = (32_000, 151_936)
BATCHES = (1, 8, 32)
REPEATS = 25
SPREADS = (1.0, 4.0)
"""Standard deviations of the logits: flat, as few models', and as a language model's."""

TOKENS = 200
COUNT = 400


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds per choice beside softmax, in turn, and texts per second."""
    threads = torch.get_num_threads()
    print(f"ms to choose a token of each row / ms of softmax over the vocabulary = ratio; {threads} threads")
    for size in VOCABULARIES:
        for spread in SPREADS:
            print(f"{size:,} ids, logits of sd {spread:g}" + "".join(f"{f'batch {b}':>26}" for b in BATCHES))
            for scheme in SCHEMES:
                cells = [choosing(scheme, size, spread, batch) for batch in BATCHES]
                print(f"{scheme:30}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    rng = np.random.default_rng(0)
    size = VOCABULARIES[-1]
    documents = [rng.integers(0, size, TOKENS).tolist() for _ in range(COUNT)]
    for scheme in SCHEMES:
        detector = wide(scheme, size)
        detector.detect_ids(documents[:2])
        rates = [per_second(detector.detect_ids, documents) for _ in range(3)]
        print(
            f"{scheme:30}{max(rates):10.0f} texts/s of {TOKENS} tokens, {size:,} ids, one process", flush=True
        )


def choosing(scheme: str, size: int, spread: float, batch: int) -> str:
    """Median times of a mark and of softmax, which take turns on the same logits; every context is new."""
    hasher = cast(stela.SamplingHasher, parts_of(scheme).hasher)
    rng = np.random.default_rng(0)
    scores = torch.from_numpy((rng.standard_normal((batch, size)) * spread).astype(np.float32))
    ours: list[float] = []
    theirs: list[float] = []
    for repeat in range(REPEATS + 1):
        contexts = rng.integers(0, size, (batch, hasher.context_width))
        began = time.perf_counter()
        hasher.mark(scores, hasher.seeds(contexts), size)
        between = time.perf_counter()
        torch.softmax(scores, -1)
        ended = time.perf_counter()
        if repeat:  # the first one compiles
            ours.append(between - began)
            theirs.append(ended - between)
    own, softmax = 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)
    return f"{own:.3f} / {softmax:.3f} = {own / softmax:.2f}"


def parts_of(scheme: str) -> Composition:
    """A scheme for the embedded model, under one key."""
    return stela.create(scheme, model="tiny", key="public", registry=registry()).parts


def wide(scheme: str, size: int) -> Detector:
    """A detector to which all ids below ``size`` are ordinary tokens."""
    detector = stela.create(scheme, model="tiny", key="public", registry=registry()).detector
    detector._is_text = np.array([True] * size + [False])
    return detector
