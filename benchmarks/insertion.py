"""Time per step of our processors, tagging included, against transformers' own."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from stela_transformers.processor import WatermarkLogitsProcessor
from transformers import WatermarkLogitsProcessor as Peer

from benchmarks.texts import Texts, watermark
from benchmarks.timing import median_ms
from stela_core.insertion.marker import Marker

VOCABULARY = 151_936
BATCHES = (1, 8, 32)
STEPS = 40
ROUNDS = 4
OURS = {
    "KGW": ("kgw", "en", None),
    "STELA, Penn (en)": ("stela", "en", None),
    "STELA, Sejong (ko)": ("stela", "ko", None),
    "STELA, sejong:causal": ("stela", "ko", "sejong:causal"),
}
START = 60
"""Tokens already there: the window is full."""

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds per step and the ratio to the peer."""
    print(f"ms per step, vocabulary {VOCABULARY:,}, {torch.get_num_threads()} threads, median of steps")
    print(f"{'':22}" + "".join(f"{f'batch {batch}':>26}" for batch in BATCHES))
    for name, (scheme, language, tagger) in OURS.items():
        documents = texts.documents(language, max(BATCHES), START + STEPS)
        cells = []
        for batch in BATCHES:
            ours, peer = measure(scheme, language, documents, batch, tagger)
            cells.append(f"{ours:.3f} / {peer:.3f} = {ours / peer:.3f}")
        print(f"{name:22}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    for batch in BATCHES:
        scores = torch.randn(batch, VOCABULARY)
        print(f"for scale, softmax at batch {batch}: {median_ms(lambda s=scores: s.softmax(-1), 40):.3f} ms")  # type: ignore[misc]
    print("ours / transformers' WatermarkLogitsProcessor (lefthash), step by step in turn, = ratio")


def measure(
    scheme: str, language: str, documents: list[list[int]], batch: int, tagger: str | None = None
) -> tuple[float, float]:
    """Median ms per step of ours and of the peer, which take turns.

    Each step appends the next token of real text, so that every window is new; small batches take
    several rounds with other documents, and other processors, with nothing cached.
    """
    ours: list[float] = []
    theirs: list[float] = []
    scores = torch.randn(batch, VOCABULARY)
    for start in range(0, min(batch * ROUNDS, max(BATCHES)), batch):
        rows = documents[start : start + batch]
        own, peer = wide(scheme, language, tagger), Peer(VOCABULARY, "cpu", greenlist_ratio=0.5)
        for length in range(1, START + STEPS):
            ids = torch.tensor([row[:length] for row in rows])
            for processor, times in ((own, ours), (peer, theirs)):
                if length <= START and processor is peer:
                    continue  # it keeps no state to warm up
                fresh = scores[: len(rows)].clone()  # generate() hands over a copy it has just made
                began = time.perf_counter()
                processor(ids, fresh)
                if length > START:
                    times.append(time.perf_counter() - began)
    return 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)


def wide(scheme: str, language: str, tagger: str | None = None) -> Processor:
    """Our processor, its green list over a large vocabulary; a new one, with nothing cached."""
    watermark.cache_clear()
    mark = watermark(scheme, language, tagger=tagger)
    return WatermarkLogitsProcessor(Marker(mark.parts, mark.tokens, mark.contexts, VOCABULARY))
