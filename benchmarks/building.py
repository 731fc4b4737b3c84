"""Counting: ``lambda build`` against the bare tagger, two workers against one, and memory."""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stela_corpora.corpus import Corpus
from stela_tables.build import build_tables
from stela_tables.count import shards_of

from benchmarks.texts import Texts, registry
from stela_core.registry.tagger_spec import make_tagger

TAGGERS = {
    "penn": "en",
    "sejong": "ko",
    "ctb": "zh",
}
CHARACTERS = {"en": 20_000_000, "zh": 6_000_000, "ko": 6_000_000}
"""Text that is counted, where there is so much: the start of a process takes seconds."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print seconds, overhead, speed-up and peak memory; every tagger on one thread."""
    columns = ("tagger", "characters", "bare", "build", "command", "2 workers", "overhead", "speed-up")
    print(" ".join(f"{column:>12}" for column in columns))
    for spec, language in TAGGERS.items():
        k = make_tagger(registry(), spec).k
        with tempfile.TemporaryDirectory() as folder:
            file, characters = corpus_of(texts, language, Path(folder))
            bare = seconds(lambda s=spec, f=file: bare_tagging(s, f))
            one = seconds(lambda s=spec, f=file, k=k: build_tables(registry(), s, [f], [k]))
            alone, two = (seconds(lambda s=spec, f=file, k=k, n=n: command(s, f, k, n)) for n in (1, 2))
        shown = (f"{number:.1f} s" for number in (bare, one, alone, two))
        cells = (*shown, f"{one / bare - 1:.1%}", f"{alone / two:.2f}")
        print(" ".join(f"{cell:>12}" for cell in (spec, f"{characters:,}", *cells)), flush=True)
    own, others = (
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    print(f"peak memory: {own:,.0f} MB this process, {others:,.0f} MB the largest other")


def bare_tagging(spec: str, file: Path) -> None:
    """Read and tag, count nothing: the constructed tagger alone is what a build cannot do without."""
    tagger = make_tagger(registry(), spec, threads=1)
    for shard in shards_of(Corpus(file)):
        tagger.tag([piece.text for piece in shard])


def command(spec: str, file: Path, k: int, workers: int) -> None:
    """``stela lambda build`` as a user runs it: with the start of all its processes."""
    words = ["lambda", "build", "--tagger", spec, "--corpus", file, "--k", k, "-o", file.with_suffix(".json")]
    full = [sys.executable, "-m", "stela_cli", *words, "--workers", workers, "--force"]
    subprocess.run([str(word) for word in full], check=True, stdout=subprocess.DEVNULL)


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
