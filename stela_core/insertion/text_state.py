"""The state of a text that insertion marks: O(window) a token, whatever its length.

The slow definition is a step over all ids of a text (:class:`stela_core.insertion.rows.IdRows`); tests hold
both to the same steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.interfaces import Hasher, Weighting
from stela_core.interfaces.weighting import SUFFIX_CHARS
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import GrowingTail
from stela_core.text.token_bytes import TokenBytes

Ids = npt.NDArray[np.int64]

LAST_IDS = 8
"""Last ids that are kept of each text at least: a list that an engine keeps is compared with them."""
ROOM = 64
"""Ids that there is room for at first, where all have to be kept."""


class TextNeeds:
    """What of a text a mark's steps depend on.

    Args:
        hasher: under any key.
        strength: whose ``needs`` say what is read of the text.
        tokens: bytes of each token id.
        contexts: the causal POS contexts, where the strength reads them.
        least: last ids that are kept where the hasher reads fewer.
    """

    def __init__(
        self,
        hasher: Hasher[Any],
        strength: Weighting[Any, Any],
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        least: int = 0,
    ) -> None:
        self.hasher = hasher
        self.tokens = tokens
        self.width = width = hasher.context_width
        self.start = width if hasher.padding is None else 0
        """Ids that a text has before a token of it is marked."""
        self.first_only, self.most = hasher.first_only, hasher.most_contexts
        self.plain = hasher.padding is None and not self.first_only and not hasher.own_contexts
        """Whether a hash context is the last ids and nothing more."""
        self.last_count = max(width, least)
        """Last ids that are kept, where the text has as many."""
        characters = SUFFIX_CHARS if "text" in strength.needs else 0
        if contexts is not None and "contexts" in strength.needs:
            characters = max(characters, contexts.reach)
        self.characters = characters
        """Characters of the text's end that the strength reads."""


class TextState:
    """The state of one text of these ids, O(tokens).

    Raises:
        StelaError: an id is negative, as placeholders are.
    """

    __slots__ = ("_needs", "all_ids", "is_new", "last", "length", "seen", "tail")

    def __init__(self, needs: TextNeeds, ids: Sequence[int] = ()) -> None:
        known = [int(index) for index in ids]
        if known and min(known) < 0:
            raise placeholder(min(known))
        self._needs = needs
        self.length = len(known)
        """Tokens generated so far."""
        self.last = known[max(0, len(known) - needs.last_count) :]
        """The last of them, oldest first: at least as many as are kept, or all."""
        self.tail: GrowingTail | None = None
        """The end of the text, where the strength reads it."""
        self.all_ids: Ids | None = None
        """All ids and room for more, where the hasher makes its contexts itself."""
        self.seen: set[bytes] | None = None
        """Hash contexts so far, the next token's included, where one is marked once only."""
        self.is_new = True
        """Whether the next token's hash context did not come before."""
        if needs.characters:
            self.tail = GrowingTail(needs.characters, b"".join(needs.tokens[index] for index in known))
        if needs.hasher.own_contexts:
            self.all_ids = np.empty(len(known) + ROOM, dtype=np.int64)
            self.all_ids[: len(known)] = known
        if needs.first_only:
            self.seen = set()
            if len(known) >= needs.start:
                self._see_all(self.seen, np.array(known, dtype=np.int64))

    def append(self, token: int) -> None:
        """Let the text go on with a token, O(window).

        Raises:
            StelaError: it is negative, as placeholders are.
        """
        if token < 0:
            raise placeholder(token)
        needs, last = self._needs, self.last
        if len(last) >= 2 * needs.last_count + 16:
            del last[: len(last) - needs.last_count]
        last.append(token)
        if self.tail is not None:
            self.tail.append(needs.tokens[token])
        if self.all_ids is not None:
            if self.length == len(self.all_ids):
                self.all_ids = np.concatenate([self.all_ids, np.empty_like(self.all_ids)])
            self.all_ids[self.length] = token
        self.length += 1
        if self.seen is not None and self.length >= needs.start:
            context = array("q", self._context()).tobytes()
            self.is_new = context not in self.seen
            self.seen.add(context)

    def copy(self) -> TextState:
        """Another that may go on in another way, as beams do, O(tokens)."""
        other = object.__new__(TextState)
        other._needs, other.length, other.is_new = self._needs, self.length, self.is_new
        other.last = self.last[:]
        other.tail = None if self.tail is None else self.tail.copy()
        other.all_ids = None if self.all_ids is None else self.all_ids.copy()
        other.seen = None if self.seen is None else self.seen.copy()
        return other

    def next_context(self) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """The ids that the next token's hash context rests on, and the context.

        Both are ``None`` where the token is not marked.
        """
        needs = self._needs
        if self.length < needs.start:
            return None, None
        if self.seen is not None and not self._marks_again(self.seen):
            return None, None
        return self._last_of(needs.width), self._context()

    def last_ids(self) -> list[int]:
        """The last ids, as many as are kept: all of a short text, or at least :data:`LAST_IDS`."""
        return self._last_of(self._needs.last_count)

    def _marks_again(self, seen: set[bytes]) -> bool:
        return self.is_new and (self._needs.most is None or len(seen) <= self._needs.most)

    def _last_of(self, count: int) -> list[int]:
        return self.last[max(0, len(self.last) - count) :]

    def _context(self) -> list[int]:
        needs = self._needs
        if self.all_ids is not None:
            ids, position = self.all_ids[: self.length], np.array([self.length])
            context: list[int] = needs.hasher.contexts(ids, position)[0].tolist()
            return context
        last = self._last_of(needs.width)
        missing = needs.width - len(last)
        return [needs.hasher.padding or 0] * missing + last if missing else last

    def _see_all(self, seen: set[bytes], ids: Ids) -> None:
        contexts = self._needs.hasher.contexts(ids, np.arange(self._needs.start, len(ids) + 1))
        rows = [row.tobytes() for row in np.ascontiguousarray(contexts, dtype=np.int64)]
        seen.update(rows[:-1])
        self.is_new = rows[-1] not in seen
        seen.add(rows[-1])


def placeholder(index: int) -> StelaError:
    """The error for an id that stands for a token which is not drawn yet."""
    return StelaError(
        f"id {index} is not a token: the ids generated so far end in a placeholder.",
        "hand over each row's ids once its last token is drawn",
    )
