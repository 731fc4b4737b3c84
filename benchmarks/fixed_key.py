"""One fixed key by genre and length: its shift of all z, the worst of 100 keys, and what shrinks it."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_corpora import TextSource
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_models.tokenizer import load_tokenizer
from stela_run.null.unmarked import Unmarked
from stela_run.statistics.shares import clopper_pearson
from tokenizers import Tokenizer

from benchmarks.genres import PROSE, Cut, cut, documents, kgw, made_by
from benchmarks.null_tables import null_tables
from benchmarks.texts import Texts, registry
from stela_core.interfaces import Bernoulli
from stela_core.watermark import Watermark

LENGTHS = [50, 100, 200, 400, 800]
FIXED = 100
"""Keys whose worst is looked at."""

DROPPED = 1000
RATES = (0.1, 0.01, 0.001)
"""Levels at which false alarms of the worst key are counted: the first that the null's tables have."""

MOST = 600
"""Documents of a genre."""

FEW = 20
"""Documents of a half below which a length is left out."""


@dataclass(frozen=True)
class Remedy:
    """A way to count pairs that sees neither key nor colours."""

    name: str
    weight: Callable[[Unmarked, npt.NDArray[np.int64]], npt.NDArray[np.float64]]
    """Weights of the entries from the texts, whose entries weigh how often they occur, and how often each
    pair occurs in public text, (pairs,)."""
    width: int = 1


REMEDIES = (
    Remedy("sum (as it is)", lambda texts, public: texts.weight),
    Remedy("sqrt(n)", lambda texts, public: np.sqrt(texts.weight)),
    Remedy("mean (once)", lambda texts, public: np.ones(len(texts.weight))),
    Remedy("context width 2", lambda texts, public: texts.weight, 2),
    Remedy("width 2, once", lambda texts, public: np.ones(len(texts.weight)), 2),
    Remedy("context width 4", lambda texts, public: texts.weight, 4),
    Remedy(
        f"once, without the {DROPPED} most frequent",
        lambda texts, public: (public < np.sort(public)[-DROPPED:][0])[texts.pair].astype(float),
    ),
    Remedy("once, by 1 / sqrt(1 + frequency)", lambda texts, public: 1 / np.sqrt(1 + public[texts.pair])),
)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print both tables for each genre."""
    own = args.tokenizer is None
    tokenizer = load_tokenizer(registry(), "tiny") if own else Tokenizer.from_file(str(args.tokenizer))
    mark = args.mark or "KGW"
    print(f"{mark}, {'tiny' if own else args.tokenizer.name}; up to {MOST} documents a genre, {FIXED} keys")
    genres = args.genres.split(",")
    held = {genre: documents(genre, args.data, MOST) for genre in genres}
    print("\nthe worst key, chosen on one half of the documents, on the other; times nominal [95 %]")
    if args.mark:
        other = made_by(args.mark, tokenizer)
        for genre in genres:
            by_length(genre, cut(other, tokenizer, held[genre], LENGTHS), other)
        return
    marks = {width: kgw(tokenizer, width) for width in sorted({remedy.width for remedy in REMEDIES})}
    cuts = {genre: cut(marks[1], tokenizer, held[genre], LENGTHS) for genre in genres}
    for genre in genres:
        by_length(genre, cuts[genre], marks[1])
    if args.rates_only:
        return
    print("\nwhat shrinks it: sd of the shift over keys (the worst key's rate at 0.1, times nominal)")
    counted = {width: public_pairs(held, tokenizer, width) for width in marks}
    for remedy in REMEDIES:
        print(f"  {remedy.name}", flush=True)
        for genre in genres:
            done = (
                cuts[genre]
                if remedy.width == 1
                else cut(marks[remedy.width], tokenizer, held[genre], [200, 800])
            )
            changed(genre, done, marks[remedy.width], remedy, counted[remedy.width])
    if own:
        power(tokenizer, marks, counted)


def keyed(mark: Watermark, texts: Unmarked) -> list[npt.NDArray[np.bool_]]:
    """Colours of the pairs under each of the keys, (pairs,) each."""
    hasher = mark.parts.hasher
    keys = np.random.default_rng(2026).integers(0, 2**63, FIXED).tolist()
    return [texts.green(hasher.under(key)) for key in keys]


class Worst(NamedTuple):
    """The worst key at one length, chosen on the first half of the documents, measured on the other."""

    documents: int
    """Documents of the other half."""
    z: float
    """Mean, under that key."""
    hits: tuple[int, ...]
    """Documents at or below each of :data:`RATES`."""
    spread: float
    """Standard deviation over keys of the mean z."""
    everywhere: float
    """Rate at 0.1 of all keys."""


def worst_keys(done: Cut, mark: Watermark) -> dict[int, Worst]:
    """By length, where a half has at least :data:`FEW` documents."""
    greens = keyed(mark, done.texts)
    z = np.array([done.texts.z_of(green, Bernoulli()) for green in greens])
    table = null_tables(done.texts, 0.5)
    worst_of: dict[int, Worst] = {}
    for length in LENGTHS:
        first, other = (done.length == length) & done.half, (done.length == length) & ~done.half
        if other.sum() < FEW:
            continue
        worst = int(z[:, first].mean(1).argmax())
        passed = table.passed(greens[worst])[other]
        worst_of[length] = Worst(
            len(passed),
            float(z[worst, other].mean()),
            tuple(int((passed > number).sum()) for number in range(len(RATES))),
            float(z[:, other].mean(1).std()),
            float(np.mean([(table.passed(green)[other] > 0).mean() for green in greens])),
        )
    return worst_of


def by_length(genre: str, done: Cut, mark: Watermark) -> None:
    """Print the rates of the worst key at each length."""
    for length, worst in worst_keys(done, mark).items():
        cells = []
        for hits, level in zip(worst.hits, RATES, strict=True):
            low, high = clopper_pearson(hits, worst.documents)
            cells.append(f"{hits / worst.documents / level:5.1f} [{low / level:.1f}, {high / level:.1f}]")
        told = ", ".join(f"at {level:g} {cell}" for level, cell in zip(RATES, cells, strict=True))
        print(
            f"  {genre:9} {length:4} tokens, {worst.documents:3} documents: sd {worst.spread:.2f}, "
            f"worst z {worst.z:+.2f}; {told}; all keys at 0.1 {worst.everywhere * 10:.2f}",
            flush=True,
        )


def changed(
    genre: str, done: Cut, mark: Watermark, remedy: Remedy, counted: Counter[tuple[int, ...]]
) -> None:
    """Print the shift, and the worst key's rate at 0.1, where pairs are weighed by a remedy."""
    texts = done.texts
    counts = texts.weight
    weight = remedy.weight(texts, frequency(texts, counted))
    texts.weight = weight
    greens = keyed(mark, texts)
    with np.errstate(invalid="ignore"):
        z = np.array([texts.z_of(green, Bernoulli()) for green in greens])
    cells = []
    for length in (200, 800):
        first, other = (done.length == length) & done.half, (done.length == length) & ~done.half
        if other.sum() < FEW:
            cells.append(f"{'-':>12}")
            continue
        worst = int(np.nanmean(z[:, first], 1).argmax())
        rate = float((z[worst, other] >= 1.2815515655).mean())
        cells.append(f"{np.nanmean(z[:, other], 1).std():5.2f} ({rate * 10:4.1f})")
    texts.weight = counts
    print(f"    {genre:9} 200 tokens {cells[0]}, 800 tokens {cells[1]}", flush=True)


def public_pairs(held: dict[str, list[str]], tokenizer: Tokenizer, width: int) -> Counter[tuple[int, ...]]:
    """In how many documents of the first halves each pair stands."""
    counted: Counter[tuple[int, ...]] = Counter()
    for texts in held.values():
        for text in texts[::2]:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            counted.update(set(zip(*(ids[n:] for n in range(width + 1)), strict=False)))
    return counted


def frequency(texts: Unmarked, counted: Counter[tuple[int, ...]]) -> npt.NDArray[np.int64]:
    """The counts of the pairs of texts, (pairs,)."""
    contexts = texts._contexts[texts._context_of]
    rows = np.column_stack([contexts, texts.tokens]).tolist()
    return np.array([counted[tuple(row)] for row in rows], dtype=np.int64)


def power(
    tokenizer: Tokenizer, marks: dict[int, Watermark], counted: dict[int, Counter[tuple[int, ...]]]
) -> None:
    """Print the mean z of marked text, delta 2, 200 tokens, under each remedy."""
    print("\nmean z of 40 marked texts of 200 tokens (tiny, delta 2)")
    model = load_model(registry(), "tiny")
    for language in PROSE.values():
        rows = (
            registry().get(TextSource, "sample").location(language).read_text(encoding="utf-8").splitlines()
        )
        prompts = [json.loads(row)["prompt"] for row in rows[:40]]
        for width, mark in marks.items():
            batches = generate(mark, model, prompts, Sampling(240), batch_size=40)
            ids = [
                tokenizer.encode(text.text, add_special_tokens=False).ids[:200]
                for batch in batches
                for text in batch
            ]
            texts = Unmarked(mark.detector.evidence(ids), mark.parts.hasher, mark.parts.scorer)
            green, counts = texts.green(mark.parts.hasher), texts.weight
            public = frequency(texts, counted[width])
            for remedy in REMEDIES:
                if remedy.width == width:
                    texts.weight = remedy.weight(texts, public)
                    print(
                        f"  {language} {remedy.name:36} {texts.z_of(green, Bernoulli()).mean():.2f}",
                        flush=True,
                    )
                    texts.weight = counts
