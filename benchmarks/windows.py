"""``detect --windows``: false alarms on human text, and marked passages inside it that are found."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import process_time

import numpy as np
from stela_detection.search.named_passages import find_passage
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model
from stela_run.statistics.shares import clopper_pearson

from benchmarks.texts import Texts, registry, watermark
from stela_core.watermark import Watermark

TOKENS, PASSAGE, COUNT, KEYS = 1000, 100, 100, 20
PLACES = (150, 400, 750)
"""Tokens of human text before each of several passages."""
LONG = 100_000
"""Tokens of the document that is timed."""
PROMPTS = {"en": "The history of the city", "zh": "这座城市的历史", "ko": "이 도시의 역사는"}
ALPHA = 1e-3


@dataclass(frozen=True)
class Located:
    """How the passages of one document were found."""

    overlaps: list[float]
    """Of each marked passage: characters shared with the best one named, over characters of either."""
    named: int
    """Passages named."""
    painted: float
    """Share of the human characters that are painted."""
    window: bool
    """Whether the text is called marked by its windows."""
    whole: bool
    """Whether it is as a whole."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the rates of corrected p-values, and how many passages are found and how well."""
    print(f"human texts of {TOKENS} tokens; KGW, delta 2; passages of {PASSAGE} tokens by the embedded model")
    print(f"marked: corrected p <= {ALPHA:g}; overlap: shared characters / characters of either, median")
    for language in args.languages.split(","):
        if language != "en" and args.data is None:
            continue
        mark = watermark("kgw", language)
        rows = texts.documents(language, COUNT, TOKENS)
        p = false_alarms(mark, rows)
        rates = ", ".join(f"{(p <= a).mean():.4f} at {a:g}" for a in (0.1, 0.01, 0.001))
        print(f"{language}: {len(p)} unmarked texts x keys: {rates}", flush=True)
        made = marked(mark, PROMPTS[language], len(rows))
        one = [located(mark, row, [made[n]], [100 + 8 * n]) for n, row in enumerate(rows)]
        show(language, "one passage", one)
        several = [
            located(mark, row, [made[(n + shift) % len(made)] for shift in range(3)], PLACES)
            for n, row in enumerate(rows)
        ]
        show(language, "three passages", several)
        timed(mark, rows, made, language)


def false_alarms(mark: Watermark, rows: list[list[int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Corrected p-values of unmarked texts, each under keys of its own."""
    hasher, rng, p = mark.parts.hasher, np.random.default_rng(5), []
    for evidence in mark.detector.evidence(rows):
        ids = np.array(evidence.ids)
        before, tokens = ids[evidence.positions - 1, None], ids[evidence.positions]
        for key in rng.integers(0, 2**63, KEYS).tolist():
            under = hasher.under(key)
            green = under.draws(under.seeds(before), tokens)[:, 0] > 0
            passage = find_passage(replace(evidence, green=green), mark.parts.scorer)
            p.append(1.0 if passage is None else passage.p_value)
    return np.array(p)


def marked(mark: Watermark, prompt: str, count: int) -> list[list[int]]:
    """Token ids of marked texts of ``PASSAGE`` tokens."""
    model = load_model(registry(), "tiny")
    sampling = Sampling(PASSAGE, min_new_tokens=PASSAGE, seed=3)
    batches = generate(mark, model, [prompt] * count, sampling, batch_size=25)
    return [list(text.token_ids) for batch in batches for text in batch]


def mixed(row: list[int], inside: Sequence[list[int]], places: Sequence[int]) -> tuple[list[int], list[int]]:
    """A human text with marked passages put in at its places, and where each begins and ends (tokens)."""
    ids: list[int] = []
    bounds: list[int] = []
    for start, end, passage in zip((0, *places), places, inside, strict=False):
        ids += row[start:end]
        bounds += [len(ids), len(ids) + len(passage)]
        ids += passage
    return ids + row[places[-1] :], bounds


def located(mark: Watermark, row: list[int], inside: Sequence[list[int]], places: Sequence[int]) -> Located:
    """What the windows say of one such text."""
    ids, bounds = mixed(row, inside, places)
    [detection] = mark.detect_ids([ids])
    scanned = mark.with_passage(detection)
    text, ends = mark.tokens.text_and_ends(ids)
    ends = [*ends, len(text)]
    machine = [(ends[a], ends[b]) for a, b in zip(bounds[::2], bounds[1::2], strict=True)]
    named = [(passage.start, passage.end) for passage in scanned.passages]
    overlaps = [max((overlap(span, other) for other in named), default=0.0) for span in machine]
    human = np.ones(len(text), dtype=bool)
    for start, end in machine:
        human[start:end] = False
    painted = np.zeros(len(text), dtype=bool)
    for start, end in named:
        painted[start:end] = True
    share = float((painted & human).sum() / human.sum())
    return Located(overlaps, len(named), share, scanned.watermarked, detection.p_value <= ALPHA)


def overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Shared characters over characters of either."""
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / (one[1] - one[0] + other[1] - other[0] - shared)


def show(language: str, what: str, cases: Sequence[Located]) -> None:
    """Print a row."""
    windows, whole = (sum(values) for values in ([c.window for c in cases], [c.whole for c in cases]))
    low, high = clopper_pearson(windows, len(cases))
    overlaps = np.array([value for case in cases for value in case.overlaps])
    right = np.mean([case.named == len(case.overlaps) for case in cases])
    print(
        f"{language}, {what}: marked {windows / len(cases):.2f} [{low:.2f}, {high:.2f}] of {len(cases)}, "
        f"by the whole text {whole / len(cases):.2f}; passages: overlap {np.median(overlaps):.2f}, "
        f"at least 0.5 for {np.mean(overlaps >= 0.5):.2f}, 0.7 for {np.mean(overlaps >= 0.7):.2f}; as many "
        f"named as there are in {right:.2f}; human characters "
        f"painted {np.mean([case.painted for case in cases]):.4f}",
        flush=True,
    )


def timed(mark: Watermark, rows: list[list[int]], made: list[list[int]], language: str) -> None:
    """Print what the scan of a long document costs: human text with a marked passage in every 500 tokens."""
    ids: list[int] = []
    for n in range(LONG // (4 * PASSAGE + PASSAGE)):
        ids += rows[n % len(rows)][: 4 * PASSAGE] + made[n % len(made)]
    start = process_time()
    [detection] = mark.detect_ids([ids])
    middle = process_time()
    passages = mark.with_passage(detection).passages
    end = process_time()
    print(
        f"{language}: {len(ids)} tokens with {len(ids) // 500} passages: {len(passages)} named; CPU seconds "
        f"{middle - start:.2f} for the whole text, {end - middle:.2f} for its windows",
        flush=True,
    )
