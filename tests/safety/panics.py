"""Panics of libraries written in Rust, even those that errors were made of: each is written to stderr."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PANIC = re.compile(r"^thread .* panicked at (.*)$(?:\n(.*))?", re.MULTILINE)
"""As the hook of Rust's standard library writes it: a place, and on the next line the reason."""


@contextmanager
def panics_caught() -> Iterator[Callable[[], list[str]]]:
    """Keep the process's stderr, file descriptor 2, aside; at the end it gets what was no panic.

    Yields:
        What gives place and reason of each panic since it was last called, from whatever thread.
    """
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as aside:
        os.dup2(aside.fileno(), 2)
        others = b""

        def caught() -> list[str]:
            nonlocal others
            if os.fstat(aside.fileno()).st_size == 0:
                return []
            aside.seek(0)
            written = aside.read()
            aside.seek(0)
            aside.truncate()
            panics = PANIC.findall(written.decode(errors="replace"))
            if not panics:
                others += written
            return [f"{place} {reason}" for place, reason in panics]

        try:
            yield caught
        finally:
            sys.stderr.flush()
            caught()
            os.dup2(before, 2)
            os.close(before)
            os.write(2, others)
