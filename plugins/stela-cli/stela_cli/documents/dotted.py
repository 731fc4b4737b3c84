"""Dotted paths into JSON values, such as ``response.body.choices.0.message.content``."""

from __future__ import annotations

from typing import Any

SHOWN = 8
"""Names of what is there that an error lists."""


class NotThereError(Exception):
    """A path leads nowhere; the message says where it ends, in words for the end of a sentence."""


def at_path(value: Any, path: str) -> Any:
    """What stands at a path: a name for an object's field, a number from 0 for an element of a list.

    A field whose own name is the whole path, or the beginning of it, dots included, is taken for that.

    Raises:
        NotThereError: there is nothing.
    """
    parts = path.split(".")
    start = 0
    while start < len(parts):
        if isinstance(value, dict) and (whole := ".".join(parts[start:])) in value:
            return value[whole]
        end = _end(value, parts, start)
        if end is None:
            raise NotThereError(_ending(value, parts, start))
        name = ".".join(parts[start:end])
        value = value[name] if isinstance(value, dict) else value[int(name)]
        start = end
    return value


def _end(value: Any, parts: list[str], start: int) -> int | None:
    """End of the shortest name from ``start`` on that the value has; ``None`` where it has none."""
    if isinstance(value, dict):
        ends = range(start + 1, len(parts))
        return next((end for end in ends if ".".join(parts[start:end]) in value), None)
    part = parts[start]
    number = isinstance(value, list) and part.isascii() and part.isdigit() and len(part) < 10
    return start + 1 if number and int(part) < len(value) else None


def _ending(value: Any, parts: list[str], start: int) -> str:
    place = f'"{".".join(parts[:start])[:200]}"' if start else "it"
    if isinstance(value, dict):
        names = ", ".join(str(name)[:40] for name in list(value)[:SHOWN])
        return f"{place} has: {names or 'nothing'}"
    if isinstance(value, list):
        return f"{place} is a list of {len(value)}"
    return f"{place} is {'null' if value is None else f'of type {type(value).__name__}'}"
