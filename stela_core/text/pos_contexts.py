"""Causal POS contexts: one function of the text before a token, for insertion and for detection."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice
from threading import Lock

from stela_core.interfaces import Context, Tagger
from stela_core.text.prefix import tail_of, tails_before_each
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.windows import reach, window_of

CACHED_WINDOWS = 65_536
BATCH = 4_096


class CausalContexts:
    """The last k - 1 tags of the window before a token: ``tags(window(text_before))[-(k-1):]``.

    ``before_next`` (insertion) and ``before_each`` (detection) differ only in how they find the
    window; both hand it to ``of_windows``, so equal ids give equal contexts (invariant 1).
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

    def windows_before_each(self, ids: Sequence[int]) -> list[str]:
        """The window before each of the ids of a text."""
        windows: list[str] = []
        last = None
        for tail in tails_before_each(ids, self._tokens, self.reach):
            # Equal where the token before completed no character.
            windows.append(windows[-1] if tail == last else window_of(tail, self.window, self._unit))
            last = tail
        return windows

    def before_each(self, ids: Sequence[int]) -> list[Context]:
        """Context before each of the ids of a text."""
        return self.of_windows(self.windows_before_each(ids))

    def of_windows(self, windows: Sequence[str]) -> list[Context]:
        """Contexts of windows: distinct ones not seen before are tagged in one call."""
        cache = self._cache
        contexts: dict[str, Context] = {}
        missing: list[str] = []
        with self._lock:
            for window in dict.fromkeys(windows):
                context = cache.get(window)
                if context is None:
                    missing.append(window)
                else:
                    contexts[window] = context
        if missing:
            contexts.update(zip(missing, self._tag(missing), strict=True))
            with self._lock:
                cache.update((window, contexts[window]) for window in missing)
                while len(cache) > CACHED_WINDOWS:
                    cache.popitem(last=False)
        return [contexts[window] for window in windows]

    def _tag(self, windows: list[str]) -> Iterable[Context]:
        remaining = iter(windows)
        while batch := list(islice(remaining, BATCH)):
            yield from self.tagger.last_tags(batch, self.k - 1)
