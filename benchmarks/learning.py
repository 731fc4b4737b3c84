"""Learning a table: time, memory and disk of the sums by context, apart from the model's own.

    python -m benchmarks learning [--data DIR]
    python -m benchmarks.learning SOURCE TOKENS [DIR]     # one row, in a process of its own

Values are drawn at random, as if a model had given them. SOURCE is ``made`` (words by Zipf's law, of which
there is no end), ``human`` (English of DIR, cut by the embedded model's tokenizer) or ``dictionaries``: the
words made, summed in dictionaries of strings, which is what learning did before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_models.tokenizer import load_tokenizer
from stela_tables.learning.finish import finish
from stela_tables.learning.observed import Before, Observed, last_characters
from stela_tables.learning.pieces import BATCH, PIECE, Place, batches
from stela_tables.learning.recipe import Recipe
from stela_tables.learning.run_file import groups_of
from stela_tables.learning.shard import shard_of
from stela_tables.learning.sums import Sums

from benchmarks.texts import Texts, registry
from stela_core.text.token_bytes import TokenBytes

SIZES = (200_000, 2_000_000, 20_000_000)
RECIPE = Recipe(minimum=10, least=0.2)
"""Fewer contexts than any reader's limit, though values are noise."""
LONGEST = RECIPE.longest
LETTERS = 26


class Row(NamedTuple):
    """What one process measured; times are of its CPU, a token."""

    source: str
    tokens: int
    contexts: int
    """Distinct ones, the empty one left out."""
    disk: int
    """Bytes of the folder before the table is made."""
    summing: float
    """Microseconds in workers: contexts and sums of a batch."""
    merging: float
    """Microseconds in the one process that merges."""
    finishing: float
    """Microseconds to smooth and prune at the end."""
    peak: float
    """MB of the process."""
    before: float
    """MB when it began to read."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print a row for each source and size."""
    plan = [("made", size) for size in SIZES] + [("dictionaries", SIZES[0])]
    if texts.data is not None:
        plan += [("human", size) for size in SIZES[:2]]
    names = (
        "text",
        "tokens",
        "contexts",
        "a token",
        "B/context",
        "summing",
        "merging",
        "finishing",
        "peak",
        "of it",
    )
    print(" ".join(f"{name:>12}" for name in names))
    for source, size in plan:
        command = [sys.executable, "-m", "benchmarks.learning", source, str(size), str(texts.data or "")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        row = Row(*json.loads(done.stdout))
        stored = row.disk / row.contexts if row.disk else (row.peak - row.before) * 1e6 / row.contexts
        cells = [source, f"{row.tokens:,}", f"{row.contexts:,}", f"{row.contexts / row.tokens:.2f}"]
        cells += [f"{stored:.1f}", *(f"{time:.2f} us" for time in (row.summing, row.merging, row.finishing))]
        cells += [f"{megabytes:.0f} MB" for megabytes in (row.peak, row.before)]
        print(" ".join(f"{cell:>12}" for cell in cells), flush=True)


def measured(source: str, tokens: int, data: Path | None) -> Row:
    """One row."""
    rng = np.random.default_rng(3)
    if source == "dictionaries":
        return in_dictionaries(tokens, rng)
    stream = made_text(tokens, rng) if source == "made" else human_text(tokens, Texts(data))
    with tempfile.TemporaryDirectory() as folder:
        sums = Sums(Path(folder) / "partial", LONGEST)
        before, read, clock = peak(), 0, Clock()
        for contexts_of in stream:
            clock.lap("reading")
            contexts = contexts_of()
            values = rng.integers(0, 1_000_000, len(contexts.steps))
            shard = shard_of(Observed(contexts, values))
            clock.lap("summing")
            sums.add(shard)
            clock.lap("merging")
            read += len(values)
        sums.checkpoint()
        clock.lap("merging")
        disk = sum(file.stat().st_size for file in sums.folder.iterdir())
        finish(sums, RECIPE)
        clock.lap("finishing")
        highest = peak()
        summing, merging, finishing = (
            1e6 * clock.seconds[what] / read for what in ("summing", "merging", "finishing")
        )
        return Row(source, read, distinct(sums), disk, summing, merging, finishing, highest, before)


class Clock:
    """CPU seconds of this process by what they were spent on."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._last = time.process_time()

    def lap(self, what: str) -> None:
        """All since the last call went into this."""
        now = time.process_time()
        self.seconds[what] += now - self._last
        self._last = now


def distinct(sums: Sums) -> int:
    """How many contexts the folder holds."""
    total = 0
    for section in sums.sections[:LONGEST]:
        for first, last in groups_of(sums.sizes(section)):
            total += len(sums.read(section, first, last).records)
    return total


def made_text(tokens: int, rng: np.random.Generator) -> Iterator[Callable[[], Before]]:
    """Batches of words: the word of rank r, spelled by its digits, has probability about 1 / r^1.2."""
    alphabet = [chr(ord("a") + n) for n in range(LETTERS)] + [" "]
    for _ in range(0, tokens, BATCH * PIECE):
        codes, ends = spelled(rng.zipf(1.2, BATCH * PIECE))
        places = ends[:, None] - np.arange(1, LONGEST + 1)
        steps = np.where(places >= 0, codes[places], np.int32(-1))
        yield partial(Before, alphabet, steps)


def spelled(ranks: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The letters of all words one after another, each after a space, and where each begins."""
    digits = np.empty((len(ranks), 14), dtype=np.int32)
    left = ranks.astype(np.uint64) * np.uint64(7)
    for column in range(14):
        digits[:, column] = (left % np.uint64(LETTERS)).astype(np.int32)
        digits[left == 0, column] = -1
        left //= np.uint64(LETTERS)
    digits[:, 0] = LETTERS
    kept = digits >= 0
    lengths = kept.sum(axis=1)
    return digits[kept], np.cumsum(lengths) - lengths


def human_text(tokens: int, texts: Texts) -> Iterator[Callable[[], Before]]:
    """Batches of English, as ``stela lambda learn`` reads it."""
    tokenizer = load_tokenizer(registry(), "tiny")
    table = TokenBytes.of(tokenizer)
    for batch in batches([_Read(texts)], [tokenizer], tokens, Place()):  # type: ignore[list-item]
        yield partial(last_characters, batch.rows, table, LONGEST)


class _Read:
    def __init__(self, texts: Texts) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts.read("en", 0, 400))


def in_dictionaries(tokens: int, rng: np.random.Generator) -> Row:
    """Sums and counts by string, each suffix of each context in its turn."""
    sums: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    before, read, clock = peak(), 0, Clock()
    for contexts_of in made_text(tokens, rng):
        units, steps = contexts_of()
        texts = ["".join(units[n] for n in row[::-1] if n >= 0) for row in steps.tolist()]
        values = rng.integers(0, 1_000_000, len(texts)).tolist()
        clock.lap("reading")
        for text, value in zip(texts, values, strict=True):
            for length in range(len(text) + 1):
                suffix = text[len(text) - length :]
                sums[suffix] += value
                counts[suffix] += 1
        clock.lap("summing")
        read += len(texts)
    summing = 1e6 * clock.seconds["summing"] / read
    return Row("dictionaries", read, len(counts) - 1, 0, summing, 0.0, 0.0, peak(), before)


def peak() -> float:
    """Most memory that this process has had, MB; ``ru_maxrss`` of a new one begins with its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e3


if __name__ == "__main__":
    words = sys.argv[1:]
    given = Path(words[2]) if len(words) > 2 and words[2] else None
    print(json.dumps(measured(words[0], int(words[1]), given)))
