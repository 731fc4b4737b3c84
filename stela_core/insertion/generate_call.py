"""Which call of transformers' ``generate`` is running: ids alone cannot tell one from the next.

A prompt that goes on from the last text, a step back of assisted decoding, and another step of the same text
may hold the same ids, and transformers hands a processor nothing else.
"""

from __future__ import annotations

import sys
from inspect import unwrap

from transformers import GenerationConfig, GenerationMixin

_GENERATE = unwrap(GenerationMixin.generate).__code__


def running_call() -> GenerationConfig | None:
    """The configuration of the outermost running call of ``generate`` in this thread, or ``None``.

    ``generate`` copies its configuration first of all, so every call has one of its own, which lives as long
    as the call. A model that drafts in assisted decoding runs inside the call that it drafts for.
    """
    outermost = None
    frame = sys._getframe(1)
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code is _GENERATE:
            outermost = frame
    config = None if outermost is None else outermost.f_locals.get("generation_config")
    return config if isinstance(config, GenerationConfig) else None
