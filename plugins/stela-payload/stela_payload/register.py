"""Issue messages: each is drawn once, and stands in a register before it is given away."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stela_cli.registers import MOST_MESSAGES, register_line, register_of_lines

from stela_core import StelaError
from stela_payload.interface import message_text


def issue(file: str | Path, bits: int, known: Mapping[str, str]) -> str:
    """Draw a message that is not in the register, and append it; its hex digits.

    One process at a time does so; others wait.

    Args:
        file: the register; it is made where there is none, for its owner only.
        bits: of the message.
        known: what its entry says besides the message.

    Raises:
        StelaError: the register cannot be read or written, is full, or all messages are issued.
    """
    with _locked(Path(file)) as handle:
        issued = register_of_lines(str(file), bits).lines
        if len(issued) == MOST_MESSAGES:
            raise StelaError(f"{file} is full: it has {MOST_MESSAGES:,} messages.", "begin another register")
        message = message_text(drawn(issued, bits), bits)
        _append(handle, register_line({"message": message, **known}))
    return message


def drawn(issued: Collection[int], bits: int) -> int:
    """A random message that was not issued.

    Raises:
        StelaError: all were.
    """
    if len(issued) == 1 << bits:
        raise StelaError(
            f"all {len(issued):,} messages of {bits} bits are issued.", "make a profile with more bits"
        )
    while (message := secrets.randbits(bits)) in issued:
        pass
    return message


@contextmanager
def _locked(file: Path) -> Iterator[int]:
    """The open file, while no other process has it."""
    try:
        import fcntl
    except ImportError:
        raise StelaError("this system locks no files.", "issue messages on Linux or macOS") from None
    handle = None
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise StelaError(f'"{file}" is not a file.', "name a file for the register")
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle
    except OSError as error:
        raise StelaError(f'cannot write "{file}": {error.strerror}.', "name another file") from None
    finally:
        if handle is not None:
            os.close(handle)


def _append(handle: int, line: bytes) -> None:
    """Write a line at the end, whole or not at all."""
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        line = b"\n" + line
    try:
        while line:
            line = line[os.write(handle, line) :]
        os.fsync(handle)
    except BaseException:
        os.ftruncate(handle, size)
        raise
