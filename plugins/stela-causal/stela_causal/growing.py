"""Windows that go on from windows before them, as generation asks for them: their ends cost what is new.

A window is told by its own characters: nothing is known of rows. Its tags depend only on them,
whatever was asked before: where something that stood before the window would show, it is computed anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import chain
from threading import Lock

import numpy as np
import numpy.typing as npt

from stela_causal.code_points import Ids

ROWS = 256
"""Texts that are kept at most; calls with more are not for this class."""
ROOM = 192
"""Characters that there is room for of each text."""
PLACES = ROWS * ROOM
LONGEST = 160
"""Characters of the longest window that this class takes."""
END = 8
"""Last characters by which a text is looked up; then all that the window holds is compared."""
MOST_NEW = 24
"""Characters that a window may have more than one before it."""
BACK = 8
"""Characters at the end of a window that are scored first, and as many more where a decision needs them."""

Tags = tuple[str, ...]
Points = npt.NDArray[np.uint32]


class _Text:
    """One text that grows: its characters, and which of them have scores."""

    __slots__ = ("first", "scored", "text")

    def __init__(self, first: int) -> None:
        self.first = first
        """The place at which its strip begins."""
        self.text = ""
        self.scored = 0
        """The character from which on all are to have scores."""


class Growing(ABC):
    """The last tags of windows, each of which mostly is one of before with some characters more.

    A subclass has the networks. One call at a time: another one is told to go another way.

    Args:
        reach: how many places before one decide all that is computed of it.
    """

    def __init__(self, reach: int) -> None:
        self._reach = reach
        self._lock = Lock()
        self._clear()

    @abstractmethod
    def _judge(self, points: Points, strips: Ids, bounds: Ids, units: int, count: int) -> list[Tags | None]:
        """Take new characters in; then the last tags of windows, ``None`` where they depend on more than is
        scored, or on what stands before the window.

        Args:
            points: (n,) code points of new characters, text after text. What was known of their places is to
                be forgotten.
            strips: (texts, 3) the first place of each text, that of its first new character, and the place
                after its last one.
            bounds: (rows, 4) of places: the first of each window's text, the first of the window, the one
                after its last, and that from which on scores are there, or are to be made.
            units: words of a window at most: as many, or as many as a window has characters.
            count: tags of a window at most; a word may have several.
        """

    def last_tags(self, windows: Sequence[str], count: int) -> list[Tags] | None:
        """The last ``count`` > 0 tags of each window; ``None`` where this is not the way to them."""
        if len(windows) > ROWS or max(map(len, windows), default=0) > LONGEST:
            return None
        if not self._lock.acquire(blocking=False):
            return None
        try:
            return self._last_tags(windows, count)
        except BaseException:
            self._clear()
            raise
        finally:
            self._lock.release()

    def _last_tags(self, windows: Sequence[str], count: int) -> list[Tags]:
        tags: list[Tags | None] = [None if window else () for window in windows]
        rows = [number for number, window in enumerate(windows) if window]
        wanted = [windows[number] for number in rows]
        before = [self._take(window) for window in wanted]
        used = texts = [text for text, _ in before]
        while rows:
            bounds = [_bounds(text, window) for text, window in zip(texts, wanted, strict=True)]
            known = self._judge(*_new(before), np.array(bounds), min(count, max(map(len, wanted))), count)
            for row, one in zip(rows, known, strict=True):
                tags[row] = one
            if None not in known:
                break
            left = [place for place, one in enumerate(known) if one is None]
            rows, texts = [rows[place] for place in left], [texts[place] for place in left]
            wanted = [wanted[place] for place in left]
            before = self._look_back(texts, wanted)
        for text in used:
            self._put_back(text)
        return [() if one is None else one for one in tags]

    def _take(self, window: str) -> tuple[_Text, int]:
        """The text that a window goes on from, its new characters put behind, and how many it had before."""
        size = len(window)
        for kept in range(size, max(size - MOST_NEW, 1) - 1, -1):
            end = window[max(0, kept - END) : kept]
            text = self._texts.get(end)
            if text is None:
                continue
            known = len(text.text)
            if known + size - kept <= ROOM and text.text.endswith(window[:kept]):
                del self._texts[end]
                text.text += window[kept:]
                return text, known
        if not self._firsts:
            self._firsts.append(self._texts.pop(next(iter(self._texts))).first)
        text = _Text(self._firsts.pop())
        return _begun(text, window), 0

    def _put_back(self, text: _Text) -> None:
        end = text.text[-END:]
        other = self._texts.pop(end, None)
        if other is not None:
            self._firsts.append(other.first)
        self._texts[end] = text

    def _look_back(self, texts: Sequence[_Text], windows: Sequence[str]) -> list[tuple[_Text, int]]:
        """Have more of texts scored; those begun anew, of which no score would tell."""
        anew = []
        for text, window in zip(texts, windows, strict=True):
            start = len(text.text) - len(window)
            if text.scored > (start + self._reach if start else 0):
                text.scored = max(text.scored - BACK, 0)
            else:
                anew.append((_begun(text, window), 0))
        return anew

    def _clear(self) -> None:
        self._texts: dict[str, _Text] = {}
        """The texts by their last characters; those used last come last."""
        self._firsts = [row * ROOM for row in range(ROWS)]
        """The first places of strips that no text has."""


def _new(texts: Sequence[tuple[_Text, int]]) -> tuple[Points, Ids]:
    """Code points of the characters of texts from a number on, and their strips."""
    new = "".join([text.text[known:] for text, known in texts])
    strips = [(text.first, text.first + known, text.first + len(text.text)) for text, known in texts]
    return np.frombuffer(new.encode("utf-32-le"), np.uint32), np.array(strips, np.int64).reshape(-1, 3)


def _bounds(text: _Text, window: str) -> tuple[int, int, int, int]:
    end = text.first + len(text.text)
    return text.first, end - len(window), end, text.first + text.scored


def _begun(text: _Text, window: str) -> _Text:
    """The text begun anew with a window."""
    text.text = window
    text.scored = max(0, len(window) - BACK)
    return text


def tags_of(labels: Sequence[Tags], rows: Ids, sizes: Ids, unsure: Ids, count: int) -> list[Tags | None]:
    """The last ``count`` tags of windows from labels (m, words), last ones first; ``None`` where unsure."""
    return [
        None if other else tuple(chain.from_iterable([labels[label] for label in row[:size][::-1]]))[-count:]
        for row, size, other in zip(rows.tolist(), sizes.tolist(), unsure.tolist(), strict=True)
    ]
