"""The choice of tokens on a CPU: a batch's rows shared out to threads, each row in one compiled pass."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from stela_kernels.passes import Buffers

from stela_gumbel import murmur
from stela_gumbel.uniforms import SGLANG

if TYPE_CHECKING:
    import torch

BUFFERS = Buffers()

WORTH_A_THREAD = 1 << 19
"""Cells (rows times ids) that a separate thread has to have: starting one takes as long as 50,000 cells."""


def suits(scores: torch.Tensor) -> bool:
    """Whether these scores are marked here: on the CPU, of at most 32 bits, numba at hand."""
    import torch

    small = scores.dtype in (torch.float32, torch.float16, torch.bfloat16)
    return scores.device.type == "cpu" and small and compiled() is not None


def suits_array(scores: npt.NDArray[Any]) -> bool:
    """The same of an array."""
    return scores.dtype in (np.float32, np.float16) and compiled() is not None


def mark(kind: int, scores: torch.Tensor, words: npt.NDArray[np.uint32], vocab_size: int) -> torch.Tensor:
    """New scores, 0 at the chosen id below ``vocab_size`` of each row and -inf elsewhere.

    Args:
        kind: whose hash (``passes.py``).
        scores: (rows, width), such that :func:`suits`; left as it was. Those of 16 bits are chosen from as
            float32, which holds them all.
        words: what a token's number is made of, (rows, words).
        vocab_size: at most width.
    """
    import torch

    logits = scores.detach().float().contiguous().numpy()
    out = mark_array(kind, logits, words, vocab_size, torch.get_num_threads())
    return torch.from_numpy(out).to(scores.dtype)


def mark_array(
    kind: int,
    scores: npt.NDArray[Any],
    words: npt.NDArray[np.uint32],
    vocab_size: int,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """:func:`mark` for an array such that :func:`suits_array`, on at most ``threads`` threads."""
    run = compiled()
    assert run is not None
    logits = np.require(scores, np.float32, ["C", "A", "W"])
    out = BUFFERS.take(logits.shape)
    scrambled = scrambled_tokens(vocab_size if kind == SGLANG else 0)
    rows = len(logits)
    parts = max(1, min(threads, rows, rows * vocab_size // WORTH_A_THREAD))
    ends = [rows * part // parts for part in range(parts + 1)]
    slices = [slice(*pair) for pair in pairwise(ends)]
    helpers = [
        Thread(target=run, args=(kind, logits[part], out[part], words[part], scrambled, vocab_size))
        for part in slices[1:]
    ]
    for helper in helpers:
        helper.start()
    run(kind, logits[slices[0]], out[slices[0]], words[slices[0]], scrambled, vocab_size)
    for helper in helpers:
        helper.join()
    return out.astype(scores.dtype, copy=False)


@lru_cache(maxsize=4)
def scrambled_tokens(count: int) -> npt.NDArray[np.uint32]:
    """What MurmurHash3 makes of the ids below ``count`` before a row's state has to do with them."""
    return murmur.scrambled(np.arange(count, dtype=np.uint32))


@cache
def compiled() -> Any:
    """The compiled pass, or ``None`` where numba cannot be used.

    Compiled at the first call (some seconds), and kept on disk where numba finds a folder it may write to.
    """
    try:
        from stela_gumbel import passes
    except Exception:  # not installed, or broken by the numpy beside it: others do the work then
        return None
    return passes.mark_rows
