"""Whether a JSON text is too deep or too large to parse, told without parsing it.

A parsed value can take 80 times the memory of its text, and a parser that recurses can end the process.
What is counted here is bounded instead: about 6 ms for each megabyte of text, and a copy of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CHUNK = 1 << 20
"""Bytes looked at in one go."""

LONGEST_NUMBER = 64
"""Digits: those of 200 bits. Python reads 4,300, and every use of such a number fails in its own way."""

DIGITS = bytes.maketrans(b"123456789", b"000000000")
TOO_MANY_DIGITS = b"0" * (LONGEST_NUMBER + 1)
STRING = re.compile(rb'"[^"]*+"')

WEIGHTS = {",": 1, ":": 1, "[": 1, "{": 3}
STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}
QUOTE = ord('"')
OTHERS = bytes(byte for byte in range(256) if byte not in b'",:[]{}')


class Limits(NamedTuple):
    """What a JSON text may hold."""

    elements: int = 1_000_000
    """Values, keys, strings and containers, weighed so that each stands for at most 50 bytes of memory."""
    depth: int = 32
    """Nested lists and objects."""
    string: int = 4 << 20
    """Bytes of one string."""

    def excess(self, data: bytes) -> str | None:
        """What a JSON text has too much of, such as ``nested deeper than 32``; ``None`` if nothing.

        Of bytes that are not JSON it tells something or nothing; the parser refuses them.
        """
        many = data.count(b"{")
        opened = data.count(b"[") + many
        # Counting alone suffices for nearly all small texts.
        if opened > self.depth or _at_most(data, opened + 2 * many) > self.elements or len(data) > CHUNK:
            plain = _without_escapes(data)
            excessive = _excess_of_marks(plain.translate(None, OTHERS), self)
            if excessive is None and _has_long_string(plain, self.string):
                excessive = f"holding a string of more than {self.string >> 20} MiB"
            if excessive is not None:
                return excessive
        if TOO_MANY_DIGITS in data.translate(DIGITS):
            plain = _without_escapes(data)
            if TOO_MANY_DIGITS in STRING.sub(b'""', plain).translate(DIGITS):
                return f"holding a number of more than {LONGEST_NUMBER} digits"
        return None


def _without_escapes(data: bytes) -> bytes:
    """The text without the escapes that matter: every quote opens or closes a string.

    Escapes come in pairs from the left.
    """
    return data.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in data else data


def _at_most(data: bytes, opened: int) -> int:
    return data.count(b",") + data.count(b":") + opened + data.count(b'"') // 2


def _excess_of_marks(marks: bytes, limits: Limits) -> str | None:
    """Elements and depth, from the text without all that is neither quote, bracket, comma nor colon."""
    elements = depth = 0
    inside = np.int8(0)
    for start in range(0, len(marks), CHUNK):
        chunk = np.frombuffer(marks, np.uint8, min(CHUNK, len(marks) - start), start)
        quotes = (chunk == QUOTE).view(np.int8)
        parity = np.bitwise_xor.accumulate(quotes) ^ inside
        inside = parity[-1]
        outside = chunk[parity == 0]
        elements += int(_WEIGHT[outside].sum(dtype=np.int64)) + int(quotes.sum(dtype=np.int64)) // 2
        if elements > limits.elements:
            return f"holding more than {limits.elements:,} values"
        steps = _STEP[outside]
        steps = steps[steps != 0]
        if len(steps):
            levels = depth + np.cumsum(steps, dtype=np.int32)
            if int(levels.max()) > limits.depth:
                return f"nested deeper than {limits.depth}"
            depth = int(levels[-1])
    return None


def _has_long_string(plain: bytes, limit: int) -> bool:
    """Whether more than ``limit`` bytes lie between an opening quote and the next one."""
    at = 0
    while len(plain) - at > limit:
        last = plain.rfind(b'"', at, at + limit + 1)
        if last < 0:
            # No quote for so long: within a string if it began after an odd number of them.
            if plain.count(b'"', 0, at) % 2:
                return True
            last = plain.find(b'"', at)
            if last < 0:
                return False
        at = last + 1
    return False


def _by_byte(values: dict[str, int]) -> npt.NDArray[np.int8]:
    changes = np.zeros(256, np.int8)
    for character, value in values.items():
        changes[ord(character)] = value
    return changes


_WEIGHT = _by_byte(WEIGHTS)
_STEP = _by_byte(STEPS)
