"""Watermarks that carry messages, and texts of theirs, for the tests of this folder."""

from __future__ import annotations

from typing import Any

import numpy as np

import stela_core as stela

KEY = 0x0123456789ABCDEF


def watermark(scheme: str, bits: int | None, key: int = KEY, **more: Any) -> stela.Watermark:
    tagger = {"tagger": "ud"} if scheme == "stela" else {}
    return stela.create(scheme, model="tiny", bits=bits, key=key, **tagger, **more)


def text_of(marker: Any, rows: int, length: int, size: int, seed: int = 0) -> list[list[int]]:
    """Ids drawn at temperature 1 from flat logits of 300 tokens, marked."""
    random = np.random.default_rng(seed)
    ids: list[list[int]] = [[] for _ in range(rows)]
    for _ in range(length):
        logits = np.full((rows, size), -1e9, dtype=np.float32)
        for row in range(rows):
            logits[row, random.choice(np.arange(300, size), 300, replace=False)] = 0
        marked = marker(ids, logits)
        for row in range(rows):
            noisy = marked[row] + random.gumbel(size=size)
            ids[row].append(int(noisy.argmax()))
    return ids
