"""Texts per second of the detector, against one permutation of the vocabulary per token."""

from __future__ import annotations

import argparse
import time

import torch

from benchmarks.texts import Texts, watermark
from benchmarks.timing import median_ms

TOKENS = 200
COUNT = 1000
PEER_VOCABULARY = 151_936


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print texts per second; texts are strings, so tokenising is included."""
    generator = torch.Generator()
    peer = TOKENS * median_ms(lambda: torch.randperm(PEER_VOCABULARY, generator=generator), 20) / 1e3
    floor = f"a randperm of {PEER_VOCABULARY:,} per token, as peers do"
    print(f"{floor:44} {1 / peer:10.1f} texts/s")
    for scheme, language in (("kgw", "en"), ("kgw", "ko"), ("stela", "en"), ("stela", "ko")):
        watermark.cache_clear()
        mark = watermark(scheme, language)
        documents = texts.documents(language, COUNT, TOKENS)
        strings = [mark.tokens.decode(ids) for ids in documents]
        began = time.perf_counter()
        mark.detect_many(strings)
        seconds = time.perf_counter() - began
        name = f"{scheme}, {language}, {len(strings)} texts of {TOKENS} tokens"
        print(f"{name:44} {len(strings) / seconds:10.1f} texts/s", flush=True)
