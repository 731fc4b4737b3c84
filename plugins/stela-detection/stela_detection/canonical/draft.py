"""A text that is rewritten step by step and knows where each of its characters came from."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.int64]
"""Boundaries between characters, (n,): 0 is before the first."""


class Step(NamedTuple):
    """The edits of one rewriting, in order, none over another: ``text[starts:ends]`` became ``sizes``."""

    starts: Points
    ends: Points
    sizes: Points
    """Characters that each became, (edits,)."""

    def before(self, points: Points) -> Points:
        """Boundaries of the text after this step as boundaries of the text before it, (n,).

        Inside an edit it counts from the edit's beginning, no further than its end; what was taken out
        belongs to the character before it. Ascending points remain ascending.
        """
        grown = np.cumsum(self.ends - self.starts - self.sizes)
        starts = self.starts - np.concatenate([[0], grown[:-1]])
        last = np.searchsorted(starts, points, side="right") - 1
        edit = np.maximum(last, 0)
        into = points - starts[edit]
        inside = self.starts[edit] + np.minimum(into, self.ends[edit] - self.starts[edit])
        moved = np.where(into < self.sizes[edit], inside, points + grown[edit])
        return np.where(last < 0, points, moved).astype(np.int64, copy=False)


def in_given(points: Points, steps: Sequence[Step]) -> Points:
    """Boundaries of the last text as boundaries of the first, (n,); 0 is 0."""
    given = points
    for step in reversed(steps):
        given = step.before(given)
    return np.where(points == 0, 0, given) if steps else points


@dataclass
class Draft:
    """A text being rewritten; what changes no length leaves no trace in :attr:`steps`."""

    text: str
    steps: list[Step] = field(default_factory=list)
    _used: str | None = None

    def holds(self, characters: re.Pattern[str]) -> bool:
        """Whether a pattern of one character matches in the text: asked of each distinct character once."""
        if self._used is None:
            self._used = "".join(set(self.text))
        return characters.search(self._used) is not None

    def sub(self, pattern: re.Pattern[str], new: str | Callable[[re.Match[str]], str]) -> None:
        """Replace each match, as ``pattern.sub``."""
        give = new if callable(new) else lambda _: new
        self.edit((*match.span(), give(match)) for match in pattern.finditer(self.text))

    def edit(self, edits: Iterable[tuple[int, int, str]]) -> None:
        """Replace ``text[start:end]`` by a string for each (start, end, string), ascending."""
        text, done = self.text, 0
        pieces: list[str] = []
        starts, ends, sizes = array("q"), array("q"), array("q")
        for start, end, new in edits:
            if text.startswith(new, start) and len(new) == end - start:
                continue
            pieces += (text[done:start], new)
            done = end
            if len(new) != end - start:
                starts.append(start)
                ends.append(end)
                sizes.append(len(new))
        if done or pieces:
            self.text = "".join([*pieces, text[done:]])
            self._used = None
        if starts:
            self.steps.append(
                Step(*(np.frombuffer(column, dtype=np.int64) for column in (starts, ends, sizes)))
            )
