"""Milliseconds of tagging per generated token and row, as generation meets it: text that grows by a token."""

from __future__ import annotations

import argparse
import time

from benchmarks.texts import Texts, registry, tokens_of_tiny
from stela_core.registry.tagger_spec import make_tagger
from stela_core.text.pos_contexts import CausalContexts

TOKENS = 200
BATCHES = (1, 8, 32)
STEPS = 2_000
"""Rows times steps that are measured at each batch size, at least."""

TAGGERS = {
    "penn": ("en", 0.2),
    "penn:causal": ("en", 0.2),
    "ud-spacy:en": ("en", 0.2),
    "ud-spacy:zh": ("zh", 0.2),
    "ud-spacy:ko": ("ko", 0.2),
    "sejong": ("ko", 0.5),
    "ctb": ("zh", 2.0),
}
"""Spec to language and the most it should cost, ms per token and row."""


def run(texts: Texts, args: argparse.Namespace) -> None:
    """Print the cost of the whole context and of the tagger's part in it."""
    print(f"{'tagger':14} {'batch':>5} {'context':>9} {'tagger':>9}   ms per token and row (goal)")
    for spec, (language, goal) in TAGGERS.items():
        documents = texts.documents(language, 64, TOKENS)
        for batch in BATCHES:
            whole, tagger = cost(spec, documents, batch)
            print(f"{spec:14} {batch:5d} {whole:9.3f} {tagger:9.3f}   ({goal})", flush=True)


def cost(spec: str, documents: list[list[int]], batch: int) -> tuple[float, float]:
    """(context, tagger) in ms per token and row, over documents that no window was seen of before."""
    tagger = make_tagger(registry(), spec)
    inside = 0.0
    plain = tagger.last_tags

    def timed(windows: list[str], count: int) -> list[tuple[str, ...]]:
        nonlocal inside
        began = time.perf_counter()
        tags = plain(windows, count)
        inside += time.perf_counter() - began
        return tags

    tagger.last_tags = timed  # type: ignore[method-assign, assignment]
    contexts = CausalContexts(tagger, tagger.k, tagger.window, tokens_of_tiny())
    contexts.before_next([documents[-1][:TOKENS]])
    inside, total, count = 0.0, 0.0, 0
    for start in range(0, len(documents) - batch + 1, batch):
        rows = documents[start : start + batch]
        for size in range(1, TOKENS):
            prefixes = [ids[:size] for ids in rows]
            began = time.perf_counter()
            contexts.before_next(prefixes)
            total += time.perf_counter() - began
        count += batch * (TOKENS - 1)
        if count >= STEPS:
            break
    return 1e3 * total / count, 1e3 * inside / count
