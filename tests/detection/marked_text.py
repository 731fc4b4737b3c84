"""Text that bears a mark, made without a model: each token is the greenest of a few words."""

from __future__ import annotations

import numpy as np

import stela_core as stela
from tests.helpers import ENGLISH


def marked_text(mark: stela.Watermark, tokens: int = 80, seed: int = 0) -> str:
    """Words of English whose tokens are green under ``mark`` where the tokenizer cuts them so."""
    rng = np.random.default_rng(seed)
    hasher, detector = mark.parts.hasher, mark.detector
    words = sorted({f" {word}" for word in ENGLISH.split()})
    ids = {row[0]: word for row, word in zip(detector.ids_of(words), words, strict=True) if len(row) == 1}
    choices = np.array(sorted(ids))
    last, text = int(choices[0]), ids[int(choices[0])]
    for _ in range(tokens):
        options = rng.permutation(choices)
        seeds = hasher.seeds(np.full((len(options), hasher.context_width), last))
        last = int(options[np.argmax(hasher.green(seeds, options))])
        text += ids[last]
    return text
