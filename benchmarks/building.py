"""Counting: ``lambda build`` against the bare tagger, two workers against one, and memory."""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import tempfile
import time
from pathlib import Path

from benchmarks.texts import Texts, registry
from stela_core.tables.build import build_tables
from stela_core.tables.corpus import Corpus
from stela_core.tables.count import shards_of
from stela_core.tables.tagger_spec import make_tagger

TAGGERS = {
    "penn": "en",
    "sejong": "ko",
    "ctb": "zh",
    "ud-spacy:en": "en",
    "ud-spacy:zh": "zh",
    "ud-spacy:ko": "ko",
}
CHARACTERS = {"en": 6_000_000, "zh": 1_500_000, "ko": 2_000_000}
"""Text that is counted: enough that the start of a process (seconds) matters little."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print seconds, overhead, speed-up and peak memory; every tagger on one thread."""
    columns = ("tagger", "characters", "bare", "build", "overhead", "2 workers", "speed-up")
    print(" ".join(f"{column:>12}" for column in columns))
    for spec, language in TAGGERS.items():
        with tempfile.TemporaryDirectory() as folder:
            file, characters = corpus_of(texts, language, Path(folder))
            bare = seconds(lambda s=spec, f=file: bare_tagging(s, f))
            one = seconds(lambda s=spec, f=file: build_tables(registry(), s, [f], [4]))
            two = seconds(lambda s=spec, f=file: build_tables(registry(), s, [f], [4], workers=2))
        cells = (f"{bare:.1f} s", f"{one:.1f} s", f"{one / bare - 1:.1%}", f"{two:.1f} s", f"{one / two:.2f}")
        print(" ".join(f"{cell:>12}" for cell in (spec, f"{characters:,}", *cells)), flush=True)
    own, others = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"peak memory: {own:,.0f} MB this process, {others:,.0f} MB the largest worker")


def bare_tagging(spec: str, file: Path) -> None:
    """Read and tag, count nothing: the constructed tagger alone is what a build cannot do without."""
    tagger = make_tagger(registry(), spec, threads=1)
    for shard in shards_of(Corpus(file)):
        tagger.tag([piece.text for piece in shard])


def seconds(work: object) -> float:
    """Wall-clock seconds of one call; the machine should be quiet."""
    assert callable(work)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def corpus_of(texts: Texts, language: str, folder: Path) -> tuple[Path, int]:
    """A corpus file of human documents, and its characters."""
    file = folder / f"{language}.jsonl.gz"
    characters = 0
    with gzip.open(file, "wt", encoding="utf-8") as out:
        for text in texts.read(language, 300, 400):
            out.write(json.dumps({"text": text}, ensure_ascii=False) + "\n")
            characters += len(text)
            if characters >= CHARACTERS[language]:
                break
    return file, characters
