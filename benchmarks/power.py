"""Expected power beside the share of marked texts that is found, by length: is the estimate about right?"""

from __future__ import annotations

import argparse

import numpy as np
from stela_models.generation.generate import Sampling, generate
from stela_models.load import load_model

from benchmarks.texts import TAGGERS, Texts, registry
from stela_core.model_tokenizer import load_tokenizer
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.text.pos_contexts import CausalContexts
from stela_core.watermark import Watermark

LENGTHS = (15, 18, 25, 40, 60, 80, 120, 199)
"""Scored tokens."""
KEYS, PER_KEY = 2, 20
CASES = (("kgw", 1.0), ("kgw", 2.0), ("learned-text", 2.0))
BEGINNING = 60
"""Characters of human text that are continued."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print predicted / observed for each length."""
    print(f"embedded model, temperature 0.7, {KEYS} keys x {PER_KEY} texts; expected power / share found")
    print("scheme, delta, language: " + " ".join(f"{length:>9}" for length in LENGTHS))
    for language in args.languages.split(","):
        if language != "en" and args.data is None:
            continue
        prompts = [text[:BEGINNING] for text in texts.read(language, KEYS * PER_KEY, 100)]
        for scheme, delta in CASES:
            said, seen = compared(scheme, delta, language, prompts[:: len(prompts) // (KEYS * PER_KEY)])
            row = " ".join(f"{a:.2f}/{b:.2f}" for a, b in zip(said, seen, strict=True))
            print(f"{scheme}, {delta:g}, {language}: {row}", flush=True)


def compared(scheme: str, delta: float, language: str, prompts: list[str]) -> tuple[list[float], list[float]]:
    """Mean expected power and share found at each length; texts of up to 80 tokens are taken at both ends."""
    tokenizer, model = load_tokenizer(registry(), "tiny"), load_model(registry(), "tiny")
    said: list[list[float]] = [[] for _ in LENGTHS]
    seen: list[list[bool]] = [[] for _ in LENGTHS]
    contexts: CausalContexts | None = None
    for number in range(KEYS):
        tagger = None if scheme == "kgw" else make_tagger(registry(), TAGGERS[language])
        settings = Settings(scheme, {"delta": delta}, language=language)
        made = create_profile(registry(), settings, tokenizer, 2026 + number, public=True, tagger=tagger)
        mark = Watermark(made.archive, None, registry(), contexts)
        contexts = mark.contexts
        own = prompts[number * PER_KEY : (number + 1) * PER_KEY]
        sampling = Sampling(200, min_new_tokens=200, seed=number)
        rows = [list(t.token_ids) for batch in generate(mark, model, own, sampling, PER_KEY) for t in batch]
        for place, length in enumerate(LENGTHS):
            parts = [row[: length + 1] for row in rows]
            parts += [row[-length - 1 :] for row in rows] if length <= 80 else []
            for detection in mark.detect_ids(parts):
                assert detection.power is not None
                said[place].append(detection.power)
                seen[place].append(detection.watermarked)
    return [float(np.mean(row)) for row in said], [float(np.mean(row)) for row in seen]
