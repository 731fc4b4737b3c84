"""One character or two, over and over: what taggers and tokenizers take for texts of no words.

``python -m benchmarks.repeated [--data DIR] [--only NAME ...] [--pairs]`` prints a row for each
tagger, each tokenizer and detection as a whole: the worst text, its CPU seconds at 10,000 and at 40,000
characters, and how many texts grow by more than 6. Linear work grows by 4.
"""

from __future__ import annotations

import argparse
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from pathlib import Path
from time import process_time

from stela_models.tokenizer import load_tokenizer
from tokenizers import Tokenizer

import stela_core as stela
from benchmarks.texts import registry
from stela_core.registry.tagger_spec import make_tagger
from stela_core.text.windows import window_starts

SIZES = (2_500, 10_000, 40_000)
MOST = 6.0
"""Times more CPU for four times the characters; linear work takes 4."""
LITTLE = 0.05
"""Seconds below which a ratio is noise."""
GIVE_UP = 30.0
"""Seconds that a text is expected to take, from which it is not tried."""

SPACES = "\n\t \r\x00\u00a0\u3000\u200b\u200c\u200d\u00ad\ufeff"
SIGNS = f"aéЖ的가ㄱ09\u0301\u0e33\u0650😀👍🏽{SPACES}\ufffd。“…\U000e0061"
SINGLE = (*string.punctuation, *SIGNS)
PAIRED = "a0().,-_'\"/:@\n 的가😀\u0301\u200d"
"""Both orders of any two of these are tried with ``--pairs``."""

TAGGERS = (
    "penn", "penn:causal", "ud-spacy:en", "ud-spacy:zh", "ud-spacy:ko", "ctb", "ctb:causal", "sejong",
    "sejong:causal",
)  # fmt: skip


@dataclass(frozen=True)
class Grown:
    """CPU seconds of one text by length; ``None`` where it would have taken too long."""

    text: str
    seconds: dict[int, float | None]

    @property
    def worst(self) -> float:
        """At the greatest length, or what a square would give."""
        last = 0.0
        for size in SIZES:
            seconds = self.seconds[size]
            last = last * 16 if seconds is None else seconds
        return last

    @property
    def ratio(self) -> float:
        """Of the last two lengths; 16 where it was given up."""
        before, last = (self.seconds[size] for size in SIZES[-2:])
        if before is None or last is None:
            return 16.0
        return last / before if last > LITTLE else 0.0


def grown(work: Callable[[str], object], unit: str) -> Grown:
    """What a text of a unit costs at each length."""
    seconds: dict[int, float | None] = {}
    expected = 0.0
    for size in SIZES:
        if expected > GIVE_UP:
            seconds[size] = None
            expected *= 16
            continue
        text = (unit * size)[:size]
        start = process_time()
        work(text)
        spent = seconds[size] = process_time() - start
        # A text whose last growth was that of a square grows so again.
        before = list(seconds.values())[-2] if len(seconds) > 1 else None
        expected = spent * (16 if before is None or spent > MOST * max(before, LITTLE / 4) else 4)
    return Grown(unit, seconds)


def grown_again(work: Callable[[str], object], unit: str) -> Grown:
    """:func:`grown`; what looks steep is tried a second time, as a busy machine makes it look so."""
    first = grown(work, unit)
    return first if first.ratio <= MOST else min(first, grown(work, unit), key=lambda one: one.ratio)


def contexts_of(tagger: stela.Tagger, text: str) -> None:
    """What detection asks: the tags before each character, as if each were a token; each window once."""
    ends = range(len(text))
    starts = window_starts(text, ends, tagger.window, tagger.unit)
    spans = {text[start:end]: (start, end) for start, end in zip(starts, ends, strict=True)}
    tagger.last_tags_within([text], [list(spans.values())], tagger.k - 1)


def works(data: Path | None) -> Iterator[tuple[str, Callable[[], Callable[[str], object]]]]:
    """Names, and what makes the work of each."""
    for name in TAGGERS:
        yield f"{name}, contexts", partial(contexts_by, name)
        yield f"{name}, tags", partial(tags_by, name)
    for name, make in tokenizers_of(data):
        yield f"{name}, ids", partial(ids_by, make)
        yield f"{name}, detection", partial(detection_by, make)


def contexts_by(name: str) -> Callable[[str], object]:
    """:func:`contexts_of` by a tagger."""
    return partial(contexts_of, make_tagger(registry(), name))


def tags_by(name: str) -> Callable[[str], object]:
    """All tags of a text by a tagger."""
    tagger = make_tagger(registry(), name)
    return lambda text: tagger.tag([text])


def ids_by(make: Callable[[], Tokenizer]) -> Callable[[str], object]:
    """The ids of a text."""
    return make().encode


def detection_by(make: Callable[[], Tokenizer]) -> Callable[[str], object]:
    """Detection as a whole, with passages, by a scheme that needs no tagger."""
    mark = stela.create(scheme="kgw", tokenizer=make(), key="public")
    return lambda text: mark.with_passage(mark.detect(text))


def tokenizers_of(data: Path | None) -> Iterator[tuple[str, Callable[[], Tokenizer]]]:
    """By name."""
    from benchmarks.gpt2_tokenizer import gpt2_tokenizer

    yield "stela-tiny", lambda: load_tokenizer(registry(), "tiny")
    if data is None:
        return
    for path in sorted((data / "tokenizers").glob("*.tiktoken")):
        yield path.stem, partial(gpt2_tokenizer, path)
    for path in sorted((data / "tokenizers").glob("*.json")):
        yield path.stem, partial(Tokenizer.from_file, str(path))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with tokenizers/")
    parser.add_argument("--only", nargs="*", default=[], help="words of the names to try")
    parser.add_argument("--texts", nargs="*", default=[*SINGLE], help="what is repeated")
    parser.add_argument("--pairs", action="store_true", help="pairs of characters, too")
    args = parser.parse_args()
    units = list(args.texts)
    if args.pairs:
        units += map("".join, permutations(PAIRED, 2))
    print(f"{len(units)} texts; CPU seconds at {SIZES[1]:,} and {SIZES[2]:,} characters of the worst one")
    print("| what | worst | 10,000 | 40,000 | grow by more than 6 |\n|---|---|---|---|---|")
    for name, make in works(args.data):
        if args.only and not any(word in name for word in args.only):
            continue
        work = make()
        for first in ("The first text compiles and loads what later ones need. 한국 你好", *units[:3]):
            work(first * 300)
        all_grown = [grown_again(work, unit) for unit in units]
        worst = max(all_grown, key=lambda one: one.worst)
        steep = [one.text for one in all_grown if one.ratio > MOST]
        shown = [
            f"over {GIVE_UP:.0f}" if seconds is None else f"{seconds:.2f}"
            for seconds in (worst.seconds[size] for size in SIZES[1:])
        ]
        named = f": {' '.join(map(ascii, steep[:8]))}" if steep else ""
        print(f"| {name} | {worst.text!a} | {' | '.join(shown)} | {len(steep)}{named} |", flush=True)


if __name__ == "__main__":
    main()
