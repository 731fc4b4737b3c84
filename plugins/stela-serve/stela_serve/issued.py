"""The register of issued messages that a service looks for, and what its answers say of them."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from stela_cli.registers import Register, read_register

import stela_core as stela


def size_of(file: str) -> int:
    """Bytes of a register when the service starts: what is appended later is not read.

    Raises:
        StelaError: it is not a file.
    """
    try:
        status = Path(file).stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise stela.StelaError(f'cannot read "{file}": {reason}.', "name a register of messages") from None
    if not stat.S_ISREG(status.st_mode):
        raise stela.StelaError(f'"{file}" is not a file.', "name a register of messages")
    return status.st_size


def issued_of(file: str, size: int, marks: stela.Watermarks) -> Register:
    """The register of the profiles that carry messages.

    Args:
        file: its path.
        size: bytes of it that are read.
        marks: of the profiles.

    Raises:
        StelaError: no profile carries messages, they differ in bits, or the register has other bits.
    """
    carrying = [marks[name] for name in marks.names if marks[name].profile.message is not None]
    encoders = {each.parts.encoder.bits: each.parts.encoder for each in carrying if each.parts.encoder}
    if not encoders:
        raise stela.StelaError(
            "no profile's marks carry messages, and there is a register of them.",
            "leave out --messages, or add a profile made with --bits",
        )
    if len(encoders) > 1:
        bits = " and ".join(map(str, sorted(encoders)))
        raise stela.StelaError(
            f"profiles carry messages of {bits} bits; a register is of one kind.",
            "serve those of one number of bits with it",
        )
    [encoder] = encoders.values()
    # "-" is a file here: standard input is the service's.
    return read_register(str(Path(file).absolute()), encoder, size)


def digest_of_lines(register: Register) -> str:
    """SHA-256 of the entries."""
    digest = hashlib.sha256()
    for line in register.lines.values():
        digest.update(line.strip() + b"\n")
    return digest.hexdigest()
