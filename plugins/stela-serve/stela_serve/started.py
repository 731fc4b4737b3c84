"""A service in a separate process, for tests and measurements: ``with started(...) as service``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 120.0


@dataclass
class Started:
    """A service that listens."""

    url: str
    process: subprocess.Popen[bytes]
    out: Path
    """What it has written to standard output."""
    log: Path
    """What it has written to standard error."""

    def children(self) -> list[int]:
        """Numbers of its workers, where the system tells (``/proc``)."""
        tasks = Path(f"/proc/{self.process.pid}/task")
        listed = [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]
        return sorted(pid for pid in listed if b"stela_serve.worker" in command_of(pid))


def command_of(pid: int) -> bytes:
    """How a process was called; nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@contextmanager
def started(
    folder: Path, *options: str, before: Sequence[str] = (), environment: dict[str, str] | None = None
) -> Iterator[Started]:
    """Start ``stela serve`` at any free port, and end it afterwards.

    Args:
        folder: for its output.
        options: of the command.
        before: options before its name.
        environment: variables besides this process's.

    Raises:
        RuntimeError: it did not start; with what it said.
    """
    out, log = folder / "service.out", folder / "service.log"
    command = [sys.executable, "-m", "stela_cli", *before, "serve", "--port", "0", *options]
    with out.open("wb") as to, log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdout=to, stderr=errors, env={**os.environ, **(environment or {})}
        )
    try:
        yield Started(address_of(process, out, log), process, out, log)
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def address_of(process: subprocess.Popen[bytes], out: Path, log: Path) -> str:
    """Address at which it listens, as soon as it does.

    Raises:
        RuntimeError: it ended, or took too long.
    """
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        told = re.search(r"^listening at (\S+)$", out.read_text(), re.MULTILINE)
        if told:
            return told[1]
        time.sleep(0.05)
    raise RuntimeError(f"the service did not start: {out.read_text()}{log.read_text()}")
