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
WIDE = 262_144
BATCHES = (1, 8, 32)
STEPS = 40
ROUNDS = 4
SELDOM = 4
"""At the largest batch transformers' processor takes every fourth turn: it is the slow one."""
TAGGERS = {
    "penn": "en",
    "penn:causal": "en",
    "sejong": "ko",
    "sejong:causal": "ko",
    "ctb": "zh",
    "ctb:causal": "zh",
    **{code: code for code in ("ar", "de", "es", "fr", "hi", "id", "ja", "pt", "ru", "tr", "vi")},
}
"""Spec to language."""
ALSO_WIDE = ("kgw", "penn", "penn:causal", "sejong:causal", "ctb:causal")
"""Those that are measured with a larger vocabulary in 16 bits, too."""
START = 60
"""Tokens already there: the window is full."""

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds of CPU time per step and the ratio to the peer."""
    names = ["kgw", *TAGGERS] if args.insertion is None else args.insertion.split(",")
    for width, dtype in ((VOCABULARY, torch.float32), (WIDE, torch.bfloat16)):
        print(
            f"ms of CPU per step, {width:,} ids, {dtype}, {torch.get_num_threads()} threads, median of steps"
        )
        print(f"{'':16}" + "".join(f"{f'batch {batch}':>26}" for batch in BATCHES))
        for name in names if width == VOCABULARY else [name for name in names if name in ALSO_WIDE]:
            tagger = name if name in TAGGERS else None
            language = TAGGERS.get(name, "en")
            documents = texts.documents(language, max(BATCHES), START + STEPS)
            if len(documents) < max(BATCHES):
                raise SystemExit(f"too few texts: give --data DIR with corpora/{language}/*.jsonl.gz")
            cells = []
            for batch in BATCHES:
                scores = torch.randn(batch, width).to(dtype)
                ours, peer = measure("stela" if tagger else "kgw", tagger, documents, scores)
                cells.append(f"{ours:.3f} / {peer:.3f} = {ours / peer:.3f}")
            print(f"{name:16}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    for batch in BATCHES:
        scores = torch.randn(batch, VOCABULARY)
        print(f"for scale, softmax at batch {batch}: {median_ms(lambda s=scores: s.softmax(-1), 40):.3f} ms")  # type: ignore[misc]
    print("ours / transformers' WatermarkLogitsProcessor (lefthash), step by step in turn, = ratio")


def measure(
    scheme: str, tagger: str | None, documents: list[list[int]], scores: torch.Tensor
) -> tuple[float, float]:
    """Median ms of CPU per step of ours and of the peer, which take turns.

    Each step appends the next token of real text, so that every window is new; small batches take
    several rounds with other documents, and other processors, with nothing cached.
    """
    ours: list[float] = []
    theirs: list[float] = []
    batch, width = scores.shape
    for start in range(0, min(batch * ROUNDS, max(BATCHES)), batch):
        rows = documents[start : start + batch]
        own, peer = wide(scheme, tagger, width), Peer(width, "cpu", greenlist_ratio=0.5)
        for length in range(1, START + STEPS):
            ids = torch.tensor([row[:length] for row in rows])
            for processor, times in ((own, ours), (peer, theirs)):
                if processor is peer and (length <= START or (batch == max(BATCHES) and length % SELDOM)):
                    continue  # it keeps no state to warm up
                fresh = scores[: len(rows)].clone()  # generate() hands over a copy it has just made
                began = time.process_time()
                processor(ids, fresh)
                if length > START:
                    times.append(time.process_time() - began)
    return 1e3 * statistics.median(ours), 1e3 * statistics.median(theirs)


def wide(scheme: str, tagger: str | None, width: int) -> Processor:
    """Our processor, its green list over a large vocabulary; a new one, with nothing cached."""
    watermark.cache_clear()
    mark = watermark(scheme, TAGGERS.get(tagger or "", "en"), tagger=tagger)
    return WatermarkLogitsProcessor(Marker(mark.parts, mark.tokens, mark.contexts, width))
