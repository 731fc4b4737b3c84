"""Marks of other toolkits: texts per second and time per step, beside transformers' own in the same run."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stela_models.tokenizer import load_tokenizer
from transformers import LlamaConfig, WatermarkDetector, WatermarkingConfig

import stela_core as stela
from benchmarks.texts import Texts, registry
from benchmarks.timing import median_ms
from stela_core.profile.create import Settings

TOKENS = 200
COUNT = 100
PEER_COUNT = 5
SIZES = (8_192, 151_936)
KEY = 15485863

Detect = Callable[[list[list[int]]], object]

HASHERS: dict[str, tuple[int, float, dict[str, object]]] = {
    "interop-lefthash": (1, 0.25, {}),
    "interop-selfhash": (3, 0.25, {}),
    "interop-markllm": (1, 0.5, {}),
}
"""Context width, gamma and other parameters: the toolkits' defaults."""


def foreign(hasher: str, size: int) -> stela.Watermark:
    """A profile of the embedded model's tokenizer, with green lists over ``size`` ids."""
    width, gamma, parameters = HASHERS[hasher]
    settings = Settings(
        "uniform",
        gamma=gamma,
        context_width=width,
        hasher=hasher,
        hasher_parameters={**parameters, "vocab_size": size},
        device="cpu",
    )
    created = settings.create(registry(), load_tokenizer(registry(), "tiny"), KEY, public=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.stela"
        created.archive.write(path)
        return stela.load(path, registry=registry())


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print texts per second, lists not yet made and then made, and ms per step at batch 8."""
    documents = texts.documents("en", COUNT, TOKENS)
    for size in SIZES:
        model = LlamaConfig(vocab_size=size)
        for scheme, width in (("lefthash", 1), ("selfhash", 4)):
            config = WatermarkingConfig(seeding_scheme=scheme, context_width=width)
            theirs = WatermarkDetector(model, "cpu", config)
            rate = per_second(each(theirs), documents[:PEER_COUNT])
            print(f"transformers {scheme}, {size:,} ids{'':14}{rate:10.1f} texts/s", flush=True)
        for name in HASHERS:
            mark = foreign(name, size)
            mark.detect_ids([documents[0][:20]])
            first, again = (per_second(mark.detect_ids, documents) for _ in range(2))
            print(f"{name}, {size:,} ids{'':14}{first:10.1f} texts/s, again {again:10.1f}", flush=True)
    for size in SIZES:
        for scheme, width in (("lefthash", 1), ("selfhash", 4)):
            steps(scheme, width, size)


def each(theirs: WatermarkDetector) -> Detect:
    """Their detector on one document after the other."""
    call: Any = theirs
    return lambda documents: [call(torch.tensor([ids])) for ids in documents]


def per_second(detect: Detect, documents: list[list[int]]) -> float:
    """Documents per second."""
    began = time.perf_counter()
    detect(documents)
    return len(documents) / (time.perf_counter() - began)


def steps(scheme: str, width: int, size: int) -> None:
    """Time of a step whose contexts are new, and of one whose lists are kept."""
    rng = np.random.default_rng(0)
    scores = torch.randn(8, size)
    theirs = WatermarkingConfig(seeding_scheme=scheme, context_width=width).construct_processor(size, "cpu")
    hasher = foreign(f"interop-{scheme}", size).parts.hasher
    assert isinstance(hasher, stela.GreenList)

    def ours(contexts: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> None:
        hasher.add_bias(scores, hasher.seeds(contexts), [2.0] * 8, size)

    fresh = median_ms(lambda: ours(rng.integers(0, size, (8, hasher.context_width))), 10)
    kept = rng.integers(0, size, (8, hasher.context_width))
    same = median_ms(lambda: ours(kept), 10)
    peer = median_ms(lambda: theirs(torch.from_numpy(rng.integers(0, size, (8, width))), scores), 5)
    print(
        f"{scheme}, {size:,} ids, batch 8: {fresh:.2f} ms per step, {same:.2f} with lists kept; "
        f"transformers {peer:.2f} ms; ratio {fresh / peer:.2f}",
        flush=True,
    )
