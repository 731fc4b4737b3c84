"""The null: human documents under many keys; grouped and plain z, and how often p is small."""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.texts import Texts, watermark
from stela_core.composition import Composition
from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Score

TOKENS = 300
LEVELS = (1e-1, 1e-2, 1e-3, 1e-4)


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print sd of z and observed rates of p <= level, per scheme and language."""
    print(f"documents of {TOKENS} tokens, {args.keys} random keys each")
    levels = "".join(f"{f'p <= {level:g}':>12}" for level in LEVELS)
    print(f"{'':12}{'documents':>10}{'sd z':>8}{'sd plain z':>12}{'plain z > 4':>13}{levels}")
    for scheme, language in (("kgw", "en"), ("kgw", "ko"), ("stela", "en"), ("stela", "ko")):
        mark = watermark(scheme, language)
        documents = texts.documents(language, args.documents, TOKENS)
        scores = [
            score
            for evidence in mark.detector.evidence(documents)
            for score in under_keys(mark.parts, evidence, args.keys)
        ]
        z, plain, p = (np.array([getattr(s, name) for s in scores]) for name in ("z", "z_plain", "p_value"))
        rates = "".join(f"{(p <= level).mean():12.2e}" for level in LEVELS)
        name = f"{scheme}, {language}"
        spread = f"{z.std():8.3f}{plain.std():12.3f}{(plain > 4).mean():13.2e}"
        print(f"{name:12}{len(documents):10}{spread}{rates}", flush=True)
    rates = "".join(f"{level:12.2e}" for level in LEVELS)
    print(f"{'nominal':12}{'':10}{1:8.3f}{1:12.3f}{3.17e-5:13.2e}{rates}")


def under_keys(parts: Composition, evidence: Evidence, count: int) -> list[Score]:
    """Scores of one text under random keys: its weights and groups stay, its colours change."""
    ids = np.array(evidence.ids)
    width = parts.hasher.context_width
    before = ids[evidence.positions[:, None] + np.arange(-width, 0)]
    scored = ids[evidence.positions]
    rng = np.random.default_rng(hash(tuple(evidence.ids[:50])) % 2**32)
    scores = []
    for key in rng.integers(0, 2**63, count).tolist():
        hasher = parts.hasher.under(key)
        green = hasher.draws(hasher.seeds(before), scored)[:, 0] > 0
        scores.append(parts.scorer.score(green, evidence.weights, evidence.groups, hasher.law.share_above))
    return scores
