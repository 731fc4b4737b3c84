"""``detect --windows``: false alarms on human text, and marked passages inside it that are found."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from benchmarks.intervals import clopper_pearson
from benchmarks.texts import Texts, registry, watermark
from stela_core.detection.scan import find_passage
from stela_core.generation.generate import Sampling, generate
from stela_core.models.load import load_model
from stela_core.text.prefix import text_of
from stela_core.watermark import Watermark

TOKENS, PASSAGE, COUNT, KEYS = 1000, 100, 100, 20
PROMPTS = {"en": "The history of the city", "zh": "这座城市的历史", "ko": "이 도시의 역사는"}
ALPHA = 1e-3


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the rates of corrected p-values, and how many passages are found and how well."""
    print(f"human texts of {TOKENS} tokens; KGW, delta 2; passages of {PASSAGE} tokens by the embedded model")
    print(f"found: corrected p <= {ALPHA:g}; overlap: shared characters / characters of either, median")
    for language in args.languages.split(","):
        if language != "en" and args.data is None:
            continue
        mark = watermark("kgw", language)
        rows = texts.documents(language, COUNT, TOKENS)
        p = false_alarms(mark, rows)
        rates = ", ".join(f"{(p <= a).mean():.4f} at {a:g}" for a in (0.1, 0.01, 0.001))
        print(f"{language}: {len(p)} unmarked texts x keys: {rates}", flush=True)
        found, whole, overlap = passages(mark, rows, PROMPTS[language])
        low, high = clopper_pearson(float(sum(found)), len(found))
        print(
            f"{language}: found {np.mean(found):.2f} [{low:.2f}, {high:.2f}] of {len(found)}, "
            f"overlap {overlap:.2f}; the test of the whole text finds {np.mean(whole):.2f}",
            flush=True,
        )


def false_alarms(mark: Watermark, rows: list[list[int]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Corrected p-values of unmarked texts, each under keys of its own."""
    hasher, rng, found = mark.parts.hasher, np.random.default_rng(5), []
    for evidence in mark.detector.evidence(rows):
        ids = np.array(evidence.ids)
        before, tokens = ids[evidence.positions - 1, None], ids[evidence.positions]
        for key in rng.integers(0, 2**63, KEYS).tolist():
            under = type(hasher)(hasher.parameters, key)
            green = under.green(under.seeds(before), tokens)
            passage = find_passage(replace(evidence, green=green), mark.parts.scorer, hasher.gamma)
            found.append(1.0 if passage is None else passage.p_value)
    return np.array(found)


def passages(mark: Watermark, rows: list[list[int]], prompt: str) -> tuple[list[bool], list[bool], float]:
    """Whether each passage is found by the windows and by the whole text, and the median overlap."""
    model = load_model(registry(), "tiny")
    sampling = Sampling(PASSAGE, min_new_tokens=PASSAGE, seed=3)
    batches = generate(mark, model, [prompt] * len(rows), sampling, batch_size=25)
    found, whole, overlaps = [], [], []
    for number, made in enumerate(text for batch in batches for text in batch):
        row, at = rows[number], 100 + 8 * number
        ids = row[:at] + list(made.token_ids) + row[at:]
        [detection] = mark.detect_ids([ids])
        passage = mark.with_passage(detection).window
        found.append(passage is not None and passage.p_value <= ALPHA)
        whole.append(detection.p_value <= ALPHA)
        if passage is None:
            overlaps.append(0.0)
            continue
        start, end = (len(text_of(ids[:n], mark.tokens)) for n in (at, at + len(made.token_ids)))
        shared = max(0, min(end, passage.end) - max(start, passage.start))
        overlaps.append(shared / (end - start + passage.end - passage.start - shared))
    return found, whole, float(np.median(overlaps))
