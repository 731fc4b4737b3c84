"""Regular expressions of Python as JavaScript takes them (with its flag ``u``), to the same matches.

JavaScript's classes of digits, words and spaces are other sets than Python's, and its versions of Unicode are
its own: sets are written out as this Python knows them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

import stela_core as stela

Parsed = Iterable[tuple[Any, Any]]
SYNTAX = frozenset("^$\\.*+?()[]{}|/-")
CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
PLACES = {"AT_BEGINNING": "^", "AT_BEGINNING_STRING": "^", "AT_END": r"(?=\n?$)", "AT_END_STRING": "$"}


def script_pattern(pattern: str) -> str:
    """The source of a JavaScript expression that matches what the Python expression does.

    Raises:
        StelaError: it has something that JavaScript does not.
    """
    parser: Any = import_module("re._parser")
    parsed = parser.parse(pattern)
    if parsed.state.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII):
        raise _unknown("a flag")
    return _written(parsed)


def _written(parsed: Parsed) -> str:
    return "".join(_one(str(kind), value) for kind, value in parsed)


def _one(kind: str, value: Any) -> str:
    if kind == "LITERAL":
        return _literal(value, "-")
    if kind == "NOT_LITERAL":
        return f"[^{_literal(value)}]"
    if kind == "AT" and str(value) in PLACES:
        return PLACES[str(value)]
    if kind == "IN":
        negated = str(value[0][0]) == "NEGATE"
        inside = "".join(_member(str(one), what) for one, what in (value[1:] if negated else value))
        return f"[{'^' if negated else ''}{inside}]"
    if kind == "BRANCH":
        return f"(?:{'|'.join(_written(one) for one in value[1])})"
    if kind == "SUBPATTERN" and not value[1] and not value[2]:
        return f"(?:{_written(value[3])})"
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, inner = value
        upper = "" if str(most) == "MAXREPEAT" else str(most)
        return f"(?:{_written(inner)}){{{least},{upper}}}{'?' if kind == 'MIN_REPEAT' else ''}"
    if kind in ("ASSERT", "ASSERT_NOT"):
        direction, inner = value
        return f"(?{'<' if direction < 0 else ''}{'=' if kind == 'ASSERT' else '!'}{_written(inner)})"
    raise _unknown(kind)


def _member(kind: str, value: Any) -> str:
    if kind == "LITERAL":
        return _literal(value)
    if kind == "RANGE":
        return f"{_literal(value[0])}-{_literal(value[1])}"
    if kind == "CATEGORY" and str(value) in CATEGORIES:
        spans = _spans(CATEGORIES[str(value)])
        return "".join(_literal(a) if a == b else f"{_literal(a)}-{_literal(b)}" for a, b in spans)
    raise _unknown(kind)


def _literal(point: int, plain: str = "") -> str:
    character = chr(point)
    if character in SYNTAX:
        return character if character in plain else f"\\{character}"
    return character if character.isprintable() else f"\\u{{{point:x}}}"


@cache
def _spans(category: str) -> list[tuple[int, int]]:
    points, characters = _unicode()
    inside = np.zeros(len(points), np.bool_)
    for run in re.finditer(f"{category}+", characters):
        inside[run.start() : run.end()] = True
    return _runs(points[inside])


def ranges(holds: Callable[[str], bool]) -> list[tuple[int, int]]:
    """First and last code points of the runs of characters of which something holds; no surrogates."""
    points, characters = _unicode()
    return _runs(points[np.fromiter(map(holds, characters), np.bool_, len(points))])


def _runs(points: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    if not len(points):
        return []
    breaks = np.flatnonzero(np.diff(points) > 1)
    firsts, lasts = points[np.append(0, breaks + 1)], points[np.append(breaks, len(points) - 1)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


@cache
def _unicode() -> tuple[npt.NDArray[np.int64], str]:
    """All code points but those of surrogates, and their characters."""
    points = np.setdiff1d(np.arange(sys.maxunicode + 1), np.arange(0xD800, 0xE000), assume_unique=True)
    return points, "".join(map(chr, points.tolist()))


def _unknown(what: str) -> stela.StelaError:
    return stela.StelaError(f"a tokenizer's rule has {what}, which JavaScript has not.")
