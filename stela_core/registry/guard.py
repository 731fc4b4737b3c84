"""What surrounds a plugin's code while it is loaded: it ends nothing, and prints nothing among results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

from stela_core.errors import contained
from stela_core.libraries import own_process

STDOUT, STDERR = 1, 2


@contextmanager
def plugin_code() -> Iterator[None]:
    """Let a plugin's code run: what it prints goes to standard error.

    Raises:
        PluginExitError: it tried to end the program.
    """
    with _stdout_apart(), redirect_stdout(sys.stderr), contained:
        yield


@contextmanager
def _stdout_apart() -> Iterator[None]:
    """Lead descriptor 1 to standard error in a command of ours, for output of code that is not Python."""
    if not own_process:
        yield
        return
    _flush()
    try:
        kept = os.dup(STDOUT)
        os.dup2(STDERR, STDOUT)
    except OSError:  # one of the two is closed
        yield
        return
    try:
        yield
    finally:
        _flush()
        os.dup2(kept, STDOUT)
        os.close(kept)


def _flush() -> None:
    for stream in {sys.stdout, sys.__stdout__}:
        if stream is not None:
            with suppress(OSError, ValueError):  # a reader that has gone is told of later
                stream.flush()
