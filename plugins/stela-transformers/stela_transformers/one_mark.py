"""One mark for each text: a second one in the same call would double the bias, or distort the draws."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from transformers.generation import logits_process

from stela_core import StelaError

THEIRS = ("WatermarkLogitsProcessor", "SynthIDTextWatermarkLogitsProcessor")
"""Classes of :mod:`transformers.generation.logits_process` that mark."""


def require_one_mark(processors: Sequence[Any], ours: type[Any]) -> None:
    """Find out whether a call of ``generate`` marks its texts once; warn where it holds different marks.

    Args:
        processors: all of the call, in order.
        ours: the class of this project's processors.

    Raises:
        StelaError: two of them mark under one key.
    """
    marking = [one for one in processors if isinstance(one, ours)]
    known: set[int] = set()
    for one in marking:
        if known & one.keys:
            raise StelaError(
                "this call marks its texts twice under one key, which doubles the mark's bias.",
                "give generate one of the two: logits_processor=[wm.logits_processor(tokenizer)] or "
                "watermarking_config=wm.watermarking_config(tokenizer)",
            )
        known |= one.keys
    kinds = tuple(getattr(logits_process, name) for name in THEIRS if hasattr(logits_process, name))
    others = [type(one).__name__ for one in processors if isinstance(one, kinds)]
    if len(marking) > 1 or others:
        also = f"transformers' {others[0]}" if others else f"{len(marking)} marks under different keys"
        warnings.warn(
            f"the texts of this call carry more than one mark ({also}): each distorts the text further, "
            "and each is found less surely",
            stacklevel=2,
        )
