"""The command ``stela`` in this process, for tests: its exit status and what it printed."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from stela_cli.main import run


class Finished(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> list[dict[str, Any]]:
        """What it printed, where that is JSON lines."""
        return [json.loads(line) for line in self.out.split("\n") if line]


def run_cli(*arguments: object) -> Finished:
    """Run ``stela`` with these arguments, each turned into text; neither stream is a terminal."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        status = run([str(argument) for argument in arguments])
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode("utf-8") for stream in streams)
    return Finished(status, out, err)


def assert_refused(finished: Finished, *expected: str) -> None:
    """Assert that bad input got one line on stderr, a hint in it, nothing on stdout and exit status 2.

    Args:
        finished: the command.
        *expected: what the line has to hold.
    """
    assert finished.status == 2
    assert finished.out == ""
    [line] = finished.err.splitlines()
    assert line.startswith("error: ")
    assert " hint: " in line
    for part in expected:
        assert part in line
