"""Causal POS contexts: one function of the text before a token, for insertion and for detection."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import NamedTuple, cast

from stela_core.interfaces import Context, Tagger
from stela_core.text.prefix import tail_of
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.windows import reach, window_of, window_starts

CACHED_WINDOWS = 65_536
BATCH = 4_096
"""Windows that the tagger is given in one call, about."""


class _TextWindows(NamedTuple):
    """Windows of one text: where they lie, and what they are."""

    text: str
    spans: list[tuple[int, int]]
    windows: list[str]


class CausalContexts:
    """The last k - 1 tags of the window before a token: ``tags(window(text_before))[-(k-1):]``.

    ``before_next`` (insertion) and ``before_places`` (detection) differ only in how they find the
    window and in how many the tagger sees at once; what it says of a window depends on nothing else, so
    equal ids give equal contexts (invariant 1).
    """

    def __init__(self, tagger: Tagger, k: int, window: int, tokens: TokenBytes) -> None:
        self.tagger = tagger
        self.k = k
        self.window = window
        self._unit = tagger.unit
        self.reach = reach(window, self._unit)
        """Characters before a token that decide its context."""
        self._tokens = tokens
        self._cache: OrderedDict[str, Context] = OrderedDict()
        self._lock = Lock()

    def before_next(self, rows: Sequence[Sequence[int]]) -> list[Context]:
        """Context of the token that comes after each row of ids; one call of the tagger for all."""
        return self.after([tail_of(ids, self._tokens, self.reach) for ids in rows])

    def after(self, tails: Sequence[str]) -> list[Context]:
        """Context of the token that comes after each text, of which the last ``reach`` characters suffice."""
        return self.of_windows([window_of(tail, self.window, self._unit) for tail in tails])

    def before_each(self, ids: Sequence[int]) -> list[Context]:
        """Context before each of the ids of a text."""
        return self.before_places([ids], [range(len(ids))])[0]

    def before_places(
        self, rows: Sequence[Sequence[int]], places: Sequence[Sequence[int]]
    ) -> list[list[Context]]:
        """Contexts before some of the ids of each text, at places that count from 0.

        The tagger is told where the windows lie in each text: they overlap, and it may share work.
        """
        parts: list[_TextWindows] = []
        for ids, wanted in zip(rows, places, strict=True):
            text, ends = self._tokens.text_and_ends(ids)
            at = [ends[place] for place in wanted]
            starts = window_starts(text, at, self.window, self._unit)
            spans = list(zip(starts, at, strict=True))
            parts.append(_TextWindows(text, spans, [text[start:end] for start, end in spans]))
        contexts, missing = self._known(window for part in parts for window in part.windows)
        for group in _groups(parts, missing):
            texts, windows = [part.text for part in group], [part.spans for part in group]
            tags = self.tagger.last_tags_within(texts, windows, self.k - 1)
            for part, each in zip(group, tags, strict=True):
                contexts.update(zip(part.windows, each, strict=True))
        self._keep(missing, contexts)
        return [[contexts[window] for window in part.windows] for part in parts]

    def of_windows(self, windows: Sequence[str]) -> list[Context]:
        """Contexts of windows: distinct ones not seen before are tagged in one call."""
        with self._lock:
            known = list(map(self._cache.get, windows))
        if None not in known:
            return cast("list[Context]", known)
        wanted = list(dict.fromkeys(w for w, context in zip(windows, known, strict=True) if context is None))
        new: dict[str, Context] = {}
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            new.update(zip(batch, self.tagger.last_tags(batch, self.k - 1), strict=True))
        self._keep(wanted, new)
        return [new[w] if context is None else context for w, context in zip(windows, known, strict=True)]

    def _known(self, windows: Iterable[str]) -> tuple[dict[str, Context], dict[str, None]]:
        """Contexts of the windows that were met before, and the others."""
        contexts: dict[str, Context] = {}
        missing: dict[str, None] = {}
        with self._lock:
            for window in dict.fromkeys(windows):
                context = self._cache.get(window)
                if context is None:
                    missing[window] = None
                else:
                    contexts[window] = context
        return contexts, missing

    def _keep(self, windows: Iterable[str], contexts: dict[str, Context]) -> None:
        with self._lock:
            for window in windows:
                self._cache[window] = contexts[window]
            while len(self._cache) > CACHED_WINDOWS:
                self._cache.popitem(last=False)


def _groups(parts: Sequence[_TextWindows], wanted: Iterable[str]) -> Iterator[list[_TextWindows]]:
    """The wanted windows, each once, of about as many texts as the tagger is given at once."""
    left = dict.fromkeys(wanted)
    group: list[_TextWindows] = []
    size = 0
    for part in parts:
        new = {window: span for window, span in zip(part.windows, part.spans, strict=True) if window in left}
        if not new:
            continue
        for window in new:
            del left[window]
        group.append(_TextWindows(part.text, list(new.values()), list(new)))
        size += len(new)
        if size >= BATCH:
            yield group
            group, size = [], 0
    if group:
        yield group
