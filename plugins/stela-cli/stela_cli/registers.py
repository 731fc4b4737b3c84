"""Registers of issued messages: JSON lines of objects with "message" and whatever else is known of it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stela_cli.documents.stream import Lines, numbered, opened
from stela_core import Detection, Encoder, Message, StelaError
from stela_core.api import Limits, parse_json

MOST_MESSAGES = 1_000_000
"""Largest number of messages in a register."""

LONGEST = 1 << 16
"""Bytes of a line."""

LARGEST = 256 << 20
"""Bytes of a register, which is kept in memory."""

LIMITS = Limits(elements=10_000, depth=16, string=LONGEST)

LIKE = 'each line is an object such as {"message": "1f", "for": "order 7"}'


@dataclass(frozen=True)
class Register:
    """The messages that were issued."""

    lines: Mapping[int, bytes]
    """The line of each."""

    def entry(self, message: int) -> dict[str, Any]:
        """What the register says of a message that is in it."""
        entry: dict[str, Any] = parse_json(self.lines[message], "the entry", LIKE, limits=LIMITS)
        return entry

    def said(self, detection: Detection, fields: dict[str, Any]) -> dict[str, Any]:
        """What ``--json`` prints of a detection, with the entry of each message whose digits are all sure."""
        more: dict[str, Any] = {}
        if detection.passages:
            listed = zip(detection.passages, fields["passages"], strict=True)
            more["passages"] = [self._with_entry(passage.message, said) for passage, said in listed]
        return {**self._with_entry(detection.message, fields), **more}

    def _with_entry(self, message: Message | None, fields: dict[str, Any]) -> dict[str, Any]:
        if "message" not in fields or message is None or not message.is_sure:
            return fields
        return {**fields, "message": {**fields["message"], "entry": self.entry(message.value)}}


def read_register(file: str, encoder: Encoder | None, size: int | None = None) -> Register:
    """The register of a file; ``-`` is standard input.

    Args:
        file: its path.
        encoder: of the messages.
        size: bytes of it that are read, where others may have appended to it; all by default.

    Raises:
        StelaError: naming file and line; there is no message in it, or the profile's marks carry none.
    """
    if encoder is None:
        raise Encoder.missing()
    register = register_of_lines(file, encoder.bits, size)
    if not register.lines:
        raise StelaError(f"{file} holds no message.", LIKE)
    return register


def register_of_lines(file: str, bits: int, size: int | None = None) -> Register:
    """The same, where a file without any is as good.

    Raises:
        StelaError: naming file and line.
    """
    lines: dict[int, bytes] = {}
    where_of: dict[int, int] = {}
    held = 0
    with opened(file) as stream:
        for number, line in numbered(_short_lines(io.BufferedReader(stream), file, size)):
            if not line.strip():
                continue
            message = _message_of(line, f"{file}:{number}", bits)
            if message in lines:
                raise StelaError(
                    f"{file}:{number} has the message of line {where_of[message]}.",
                    "keep one of the two: a message names one entry",
                )
            held += len(line)
            if len(lines) == MOST_MESSAGES or held > LARGEST:
                raise StelaError(
                    f"{file} has more than {MOST_MESSAGES:,} messages, or {LARGEST >> 20} MiB.",
                    "give those that may be in these texts",
                )
            lines[message], where_of[message] = line, number
    return Register(lines)


def register_line(entry: Mapping[str, Any]) -> bytes:
    """An entry as a line of a register, with its line feed.

    Raises:
        StelaError: it is too long.
    """
    line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
    if len(line) > LONGEST:
        raise StelaError(f"the entry has more than {LONGEST >> 10} KiB.", "shorten it")
    return line


def _short_lines(lines: Lines, name: str, size: int | None) -> Iterator[bytes]:
    number, place = 1, 0
    while line := lines.readline(LONGEST + 1 if size is None else min(LONGEST + 1, size - place)):
        if len(line) > LONGEST:
            raise StelaError(f"{name}:{number} is a line of more than {LONGEST >> 10} KiB.", "shorten it")
        yield line
        number, place = number + 1, place + len(line)


def _message_of(line: bytes, where: str, bits: int) -> int:
    record = parse_json(line, where, LIKE, limits=LIMITS)
    message = record.get("message") if isinstance(record, dict) else None
    if not isinstance(message, str):
        raise StelaError(f'{where} has no "message" of hex digits.', LIKE)
    try:
        return Encoder.number_of(message, bits)
    except StelaError as error:
        raise StelaError(f"{where}: {error.message}", error.hint) from None
