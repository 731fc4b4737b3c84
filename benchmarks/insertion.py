"""Time per step of our processors, tagging included, against transformers' own."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from transformers import WatermarkLogitsProcessor as Peer

from benchmarks.texts import Texts, watermark
from benchmarks.timing import median_ms

VOCABULARY = 151_936
BATCHES = (1, 8, 32)
STEPS = 40
START = 60
"""Tokens already there: the window is full."""

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print milliseconds per step and the ratio to the peer."""
    documents = {
        language: texts.documents(language, max(BATCHES), START + STEPS + 1) for language in ("en", "ko")
    }
    ours: dict[str, tuple[str, Callable[[], Processor]]] = {
        "KGW": ("en", lambda: wide("kgw", "en")),
        "STELA, Penn (en)": ("en", lambda: wide("stela", "en")),
        "STELA, Sejong (ko)": ("ko", lambda: wide("stela", "ko")),
    }
    print(f"ms per step, vocabulary {VOCABULARY:,}, {torch.get_num_threads()} threads")
    print(f"{'':24}" + "".join(f"{f'batch {b}':>20}" for b in BATCHES))
    floor, peer = [], []
    for batch in BATCHES:
        ids, scores = rows(documents["en"], batch, START), torch.randn(batch, VOCABULARY)
        floor.append(median_ms(lambda s=scores: torch.softmax(s, -1), 9))  # type: ignore[misc]
        theirs = Peer(VOCABULARY, "cpu", greenlist_ratio=0.5)
        peer.append(median_ms(lambda p=theirs, i=ids, s=scores: p(i, s), 9))  # type: ignore[misc]
    print(f"{'softmax, for scale':24}" + "".join(f"{ms:20.3f}" for ms in floor))
    print(f"{'transformers':24}" + "".join(f"{ms:20.3f}" for ms in peer))
    for name, (language, make) in ours.items():
        cells = []
        for batch, theirs_ms in zip(BATCHES, peer, strict=True):
            ms = per_step(make(), documents[language], batch)
            cells.append(f"{ms:10.3f} ({ms / theirs_ms:6.3f})")
        print(f"{name:24}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
    print("in brackets: ratio to transformers' WatermarkLogitsProcessor (lefthash) in this run")


def wide(scheme: str, language: str) -> Processor:
    """Our processor, its green list over a large vocabulary; a new one, with nothing cached."""
    watermark.cache_clear()
    processor = watermark(scheme, language).logits_processor()
    processor._vocab_size = VOCABULARY
    return processor  # type: ignore[no-any-return]


def rows(documents: list[list[int]], batch: int, length: int) -> torch.Tensor:
    """The first tokens of the documents."""
    return torch.tensor([document[:length] for document in documents[:batch]])


def per_step(processor: Processor, documents: list[list[int]], batch: int) -> float:
    """Median over steps that each append the next token of real text, so that every window is new."""
    scores = torch.randn(batch, VOCABULARY)
    processor(rows(documents, batch, 1), scores)  # one token of prompt
    times = []
    for length in range(2, START + STEPS):
        ids = rows(documents, batch, length)
        began = time.perf_counter()
        processor(ids, scores)
        if length > START:
            times.append(time.perf_counter() - began)
    return 1e3 * statistics.median(times)
