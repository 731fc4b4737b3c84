"""Texts that a tiny Markov model would write, drawn by a hasher token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
from stela_exp.key_sequence import KeySequenceHasher, KeySequenceParameters

Array = np.ndarray[Any, np.dtype[Any]]


def make(kind: type[KeySequenceHasher], key: int, length: int = 256, free: int = 1) -> KeySequenceHasher:
    return kind(KeySequenceParameters(key_length=length, context_width=free), key)


def written(hasher: KeySequenceHasher, model: Array, length: int, rng: np.random.Generator) -> list[int]:
    """``length`` ids, the first ``context_width`` drawn freely, the others by the mark.

    Args:
        hasher: with its key.
        model: probability of each next token after each token, (vocabulary, vocabulary).
        length: of the text, at most ``key_length`` of it are marked.
        rng: of the free draws.
    """
    import torch

    ids: list[int] = []
    for t in range(length):
        p = model[ids[-1] if ids else 0]
        if t < hasher.context_width:
            ids.append(int(rng.choice(len(p), p=p)))
            continue
        contexts = hasher.contexts(np.array(ids, dtype=np.int64), np.array([t]))
        scores = torch.from_numpy(np.log(p))[None]
        ids.append(int(hasher.mark(scores, hasher.seeds(contexts), len(p)).argmax()))
    return ids
