"""One text under ten thousand candidate keys, beside a loop of single detections: one process, one thread."""

from __future__ import annotations

import argparse
import statistics
import time
from random import Random

from stela_detection.search.candidates import Candidate
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from benchmarks.texts import Texts, registry
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.parts import LoadOptions, open_archive

SCHEMES = ("kgw", "gumbel", "synthid")
KEYS = 10_000
TOKENS = 200
COUNT = 5
REPEATS = 3
LOOPED = 200
"""Keys of the loop, whose time is taken to grow with their number."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print seconds for all keys at once and by the loop, and their ratio: medians over the texts."""
    draw = Random(2026)
    keys = [Candidate(key_id=f"c{n}", key=draw.getrandbits(64)) for n in range(KEYS)]
    rows = texts.documents("en", COUNT, TOKENS)
    print(f"{COUNT} texts of {TOKENS} tokens, {KEYS:,} keys; the loop: {LOOPED} of them")
    for scheme in SCHEMES:
        settings, tokenizer = Settings(scheme), load_tokenizer(registry(), "tiny")
        archive = settings.create(registry(), tokenizer, 2026, public=True).archive
        mark = of_candidates(archive, keys)
        documents = [mark.tokens.decode(ids) for ids in rows]
        singles = [mark.detector.with_composition(mark.parts.under(key)) for key in numbers(mark)[:LOOPED]]
        mark.detect(documents[0])  # compiles
        soon, looped = [], []
        for text in documents:
            times = []
            for _ in range(REPEATS):
                began = time.perf_counter()
                best = mark.detect(text)
                times.append(time.perf_counter() - began)
            soon.append(min(times))
            began = time.perf_counter()
            for detector in singles:
                detector.detect_many([text])
            looped.append((time.perf_counter() - began) * KEYS / LOOPED)
            assert best.tests == KEYS
        own, slow = statistics.median(soon), statistics.median(looped)
        print(f"{scheme:10}{own:8.3f} s at once{slow:9.1f} s by the loop; ratio {own / slow:.4f}", flush=True)


def of_candidates(archive: Archive, keys: list[Candidate]) -> stela.Watermark:
    """The profile's watermark under these keys."""
    parts = open_archive(archive, LoadOptions(registry(), candidates=keys))
    return stela.Watermark(archive, None, registry(), parts=parts)


def numbers(mark: stela.Watermark) -> list[int]:
    """The keys themselves."""
    return [key.number for key in mark.keys.known]
