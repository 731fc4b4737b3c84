"""Strings of letters that a regular expression cannot match anywhere in, as the expression tells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

LETTERS = (("A", "Z"), ("a", "z"), ("가", "힣"))
"""First and last of each run."""
ONLY_LETTERS = re.compile(f"[{''.join(f'{first}-{last}' for first, last in LETTERS)}]+").fullmatch
WITHOUT = frozenset({"CATEGORY_DIGIT", "CATEGORY_SPACE", "CATEGORY_NOT_WORD"})
"""Classes that hold none of the letters."""


def needs_another(search: Any) -> bool:
    """Whether all that a compiled expression matches has, or is next to, something else than letters.

    It may say no where that is so, never yes where it is not.

    Args:
        search: a method of a compiled expression, such as ``search``; else the answer is no.
    """
    pattern = getattr(search, "__self__", None)
    if not isinstance(pattern, re.Pattern) or pattern.flags & (re.IGNORECASE | re.LOCALE):
        return False
    parser: Any = import_module("re._parser")
    return _needs(parser.parse(pattern.pattern, pattern.flags))


def _needs(parsed: Iterable[tuple[Any, Any]]) -> bool:
    """Whether a sequence, all of which has to match, needs what is not a letter."""
    return any(_one(str(kind), value) for kind, value in parsed)


def _one(kind: str, value: Any) -> bool:
    if kind == "LITERAL":
        return not _overlaps(value, value)
    if kind == "IN":
        return all(_member(str(one), what) for one, what in value)
    if kind == "BRANCH":
        return all(_needs(one) for one in value[1])
    if kind == "SUBPATTERN":
        return not value[1] and _needs(value[3])  # flags of its own, such as for other cases
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):
        return bool(value[0] > 0) and _needs(value[2])
    return kind == "ASSERT" and _needs(value[1])


def _member(kind: str, value: Any) -> bool:
    """Whether a member of a class is not a letter; of a class that is negated, the answer is no."""
    if kind == "LITERAL":
        return not _overlaps(value, value)
    if kind == "RANGE":
        return not _overlaps(*value)
    return kind == "CATEGORY" and str(value) in WITHOUT


def _overlaps(first: int, last: int) -> bool:
    return any(first <= ord(end) and ord(begin) <= last for begin, end in LETTERS)
