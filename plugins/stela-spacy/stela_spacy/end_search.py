"""Search for a suffix only at the end of a word, which finds what a search of the whole word does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from typing import Any

CHANGES = re.IGNORECASE | re.LOCALE | re.MULTILINE | re.VERBOSE
"""Flags under which nothing is told of an expression."""


class EndSearch:
    r"""``pattern.search``, which begins where a match could begin.

    spaCy takes suffixes off a word one by one, and its expression, of some 260 alternatives that all end in
    ``$``, is tried at each place of what is left: half a second for 1,000 brackets. A match that ends with
    the word begins no further from the end than its longest alternative is wide, or, for one such as
    ``\.\.+$``, within the run of its characters.

    ``__self__`` is the compiled expression, as it is of ``pattern.search``.
    """

    def __init__(self, pattern: re.Pattern[str], width: int, endless: str) -> None:
        """``width``: of the widest bounded alternative; ``endless``: the characters of the others."""
        self.__self__ = pattern
        self._search, self._width, self._endless = pattern.search, width, endless

    def __call__(self, word: str) -> re.Match[str] | None:
        """The leftmost match in a word."""
        if word[-1:] == "\n":  # "$" matches before it, too
            return self._search(word)
        start = len(word) - self._width
        if self._endless and word[-1:] in self._endless:
            start = min(start, len(word.rstrip(self._endless)))
        return self._search(word, max(start, 0))  # what is looked back at may stand before

    @classmethod
    def of(cls, search: Any) -> Any:
        """A search in place of ``pattern.search``; the same where its expression does not tell enough."""
        pattern = getattr(search, "__self__", None)
        if not isinstance(pattern, re.Pattern) or search != pattern.search or pattern.flags & CHANGES:
            return search
        try:
            parser: Any = import_module("re._parser")
        except ImportError:  # Python's own, and no part of its interface
            return search
        known = _bounds(_alternatives(list(parser.parse(pattern.pattern, pattern.flags))))
        return search if known is None else cls(pattern, *known)


def _alternatives(items: list[tuple[Any, Any]]) -> list[Any]:
    """Alternatives of a whole expression."""
    if len(items) == 1 and str(items[0][0]) == "BRANCH":
        return list(items[0][1][1])
    return [items]


def _bounds(alternatives: Iterable[Any]) -> tuple[int, str] | None:
    """Greatest width of bounded alternatives, and the characters of the others; ``None`` for none to tell."""
    width, endless = 0, set[str]()
    maximum = int(import_module("re._constants").MAXREPEAT)
    for one in alternatives:
        items = list(one)
        if not items or [str(part) for part in items[-1]] != ["AT", "AT_END"]:
            return None
        most = one.getwidth()[1] if hasattr(one, "getwidth") else maximum
        if most < maximum:
            width = max(width, most)
            continue
        for kind, value in items[:-1]:
            repeated = list(value[2]) if str(kind) == "MAX_REPEAT" else [(kind, value)]
            if [str(part) for part, _ in repeated] != ["LITERAL"]:
                return None
            endless.add(chr(repeated[0][1]))
    return width, "".join(sorted(endless))
