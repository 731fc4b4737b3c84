"""What of servers' answers is not tested, counted over a file and said in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

NAMED = 3
"""Choices without text that are named."""


class LeftOut:
    """Tool calls, refusals, reasoning and the like, of the answers of one file."""

    def __init__(self) -> None:
        self._kinds: Counter[str] = Counter()
        self._without: list[str] = []
        self._count = 0
        self._cut: list[str] = []
        self._unknown = 0

    def add(self, kinds: Iterable[str]) -> None:
        """What one choice holds besides its text."""
        self._kinds.update(kinds)

    def without_text(self, source: str) -> None:
        """A choice in which there is nothing to test."""
        self._count += 1
        if self._count <= NAMED:
            self._without.append(source)

    def broken_off(self, source: str) -> None:
        """A text whose stream ends before the server said that it is done."""
        if len(self._cut) <= NAMED:
            self._cut.append(source)

    def unknown(self) -> None:
        """An event of a stream that is of no known kind."""
        self._unknown += 1

    def said(self) -> str | None:
        """The line without the file's name; ``None`` where all was tested."""
        parts = []
        if self._kinds:
            parts.append("left out: " + ", ".join(f"{kind} ({n})" for kind, n in sorted(self._kinds.items())))
        if self._unknown:
            parts.append(f"events of no known kind: {self._unknown}")
        if self._count:
            parts.append(f"without text: {self._some(self._without, self._count)}")
        if self._cut:
            parts.append(f"the stream breaks off in {self._some(self._cut[:NAMED], len(self._cut))}")
        return "; ".join(parts) or None

    @staticmethod
    def _some(named: list[str], count: int) -> str:
        more = f" and {count - len(named)} more" if count > len(named) else ""
        return ", ".join(named) + more
