"""The state of a text that insertion marks: the state of a row, O(window) a token, whatever its length.

The slow definition is a step over all ids of a text (:mod:`stela_core.insertion.hash_context`,
:func:`stela_core.text.prefix.tail_of`); tests hold both to the same steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core.errors import StelaError
from stela_core.insertion.hash_context import Last, common_hasher
from stela_core.interfaces import Mark, Weighting
from stela_core.interfaces.weighting import TAIL
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.prefix import GrowingTail
from stela_core.text.token_bytes import TokenBytes

Ids = npt.NDArray[np.int64]

LAST_IDS = 8
"""Last ids that are kept of each text at least.

A list that an engine keeps is compared with them; a round trip cuts them again, with candidates behind them.
"""
ROOM = 64
"""Ids that there is room for at first, where all have to be kept."""


class TextState:
    """The state of one text; made and changed by :class:`TextStates` alone."""

    __slots__ = ("all_ids", "is_new", "last", "length", "seen", "tail")

    def __init__(self, ids: list[int], tail: GrowingTail | None) -> None:
        self.length = len(ids)
        """Tokens generated so far."""
        self.last = ids
        """The last of them, oldest first: at least as many as are kept, or all."""
        self.tail = tail
        """The end of the text, where the strength reads it."""
        self.all_ids: Ids | None = None
        """All ids and room for more, where the hasher has contexts of its own kind."""
        self.seen: set[bytes] | None = None
        """Hash contexts so far, the next token's included, where one is marked once only."""
        self.is_new = True
        """Whether the next token's hash context did not come before."""


class TextStates:
    """Begin and extend the states of texts: what of a text a mark's steps depend on.

    Args:
        hasher: under any key.
        strength: whose ``needs`` say what is read of the text.
        tokens: bytes of each token id.
        contexts: the causal POS contexts, where the strength reads them.
        least: last ids that are kept where the hasher reads fewer.
    """

    def __init__(
        self,
        hasher: Mark[Any],
        strength: Weighting[Any, Any],
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        least: int = 0,
    ) -> None:
        hasher = common_hasher(hasher)
        self._hasher = hasher
        self._tokens = tokens
        self.size = len(tokens)
        """Ids of the vocabulary: those from here on are never marked."""
        self._width = width = hasher.context_width
        self._padding = hasher.padding
        self._start = width if hasher.padding is None else 0
        self._first_only, self._most = hasher.first_only, hasher.most_contexts
        self._own_contexts = hasher.own_contexts
        self.last_count = max(width, least)
        """Last ids that are there, where the text has as many."""
        characters = TAIL if "text" in strength.needs else 0
        if contexts is not None and "contexts" in strength.needs:
            characters = max(characters, contexts.reach)
        self._characters = characters

    def begin(self, ids: Sequence[int] = ()) -> TextState:
        """The state of a text of these ids, O(tokens).

        Raises:
            StelaError: an id is negative, as placeholders are.
        """
        known = [int(index) for index in ids]
        if known and min(known) < 0:
            raise placeholder(min(known))
        tail = None
        if self._characters:
            tail = GrowingTail(self._characters, b"".join(self._tokens[index] for index in known))
        text = TextState(known[max(0, len(known) - self.last_count) :], tail)
        text.length = len(known)
        if self._own_contexts:
            text.all_ids = np.empty(len(known) + ROOM, dtype=np.int64)
            text.all_ids[: len(known)] = known
        if self._first_only:
            text.seen = set()
            if len(known) >= self._start:
                self._see_all(text, np.array(known, dtype=np.int64))
        return text

    def append(self, text: TextState, token: int) -> None:
        """Let the text go on with a token, O(window).

        Raises:
            StelaError: it is negative, as placeholders are.
        """
        if token < 0:
            raise placeholder(token)
        last = text.last
        if len(last) >= 2 * self.last_count + 16:
            del last[: len(last) - self.last_count]
        last.append(token)
        if text.tail is not None:
            text.tail.append(self._tokens[token])
        if text.all_ids is not None:
            if text.length == len(text.all_ids):
                text.all_ids = np.concatenate([text.all_ids, np.empty_like(text.all_ids)])
            text.all_ids[text.length] = token
        text.length += 1
        if text.seen is not None and text.length >= self._start:
            context = array("q", self._context(text)).tobytes()
            text.is_new = context not in text.seen
            text.seen.add(context)

    def copy(self, text: TextState) -> TextState:
        """Another that may go on in another way, as beams do, O(tokens)."""
        other = TextState(text.last[:], None if text.tail is None else text.tail.copy())
        other.length, other.is_new = text.length, text.is_new
        other.all_ids = None if text.all_ids is None else text.all_ids.copy()
        other.seen = None if text.seen is None else text.seen.copy()
        return other

    def next_context(self, text: TextState) -> tuple[Sequence[int] | None, Sequence[int] | None]:
        """The ids that the next token's hash context rests on, and the context, as of :class:`.NextContexts`.

        Both are ``None`` where the token is not marked.
        """
        if text.length < self._start:
            return None, None
        if text.seen is not None and not self._marks_again(text):
            return None, None
        return self.last_of(text, self._width), self._context(text)

    def last_of(self, text: TextState, count: int) -> list[int]:
        """The last ids, ``count`` of them at most; no more than are kept."""
        return text.last[max(0, len(text.last) - count) :]

    def _marks_again(self, text: TextState) -> bool:
        assert text.seen is not None
        return text.is_new and (self._most is None or len(text.seen) <= self._most)

    def _context(self, text: TextState) -> list[int]:
        if text.all_ids is not None:
            ids, position = text.all_ids[: text.length], np.array([text.length])
            context: list[int] = self._hasher.contexts(ids, position)[0].tolist()
            return context
        last = self.last_of(text, self._width)
        missing = self._width - len(last)
        return [self._padding or 0] * missing + last if missing else last

    def _see_all(self, text: TextState, ids: Ids) -> None:
        assert text.seen is not None
        contexts = self._hasher.contexts(ids, np.arange(self._start, len(ids) + 1))
        rows = [row.tobytes() for row in np.ascontiguousarray(contexts, dtype=np.int64)]
        text.seen.update(rows[:-1])
        text.is_new = rows[-1] not in text.seen
        text.seen.add(rows[-1])


class RowStates:
    """The rows of a step, by their states: what a marker takes in place of all ids.

    Args:
        texts: what made the states.
        states: of the rows, in their order.
    """

    def __init__(self, texts: TextStates, states: Sequence[TextState]) -> None:
        self._texts = texts
        self._states = states

    def __len__(self) -> int:
        return len(self._states)

    def only(self, rows: Sequence[int]) -> RowStates:
        """Some of the rows."""
        return RowStates(self._texts, [self._states[row] for row in rows])

    def next_contexts(self) -> tuple[Last, Sequence[Sequence[int] | None]]:
        """As :meth:`.NextContexts.of` of all ids of the rows."""
        both = [self._texts.next_context(state) for state in self._states]
        return [last for last, _ in both], [context for _, context in both]

    def tails(self) -> list[str]:
        """The end of each text, as long as the strength needs it or longer."""
        return ["" if state.tail is None else state.tail.text for state in self._states]

    def ends(self) -> list[list[int]]:
        """The last ids of each text, as many as are kept."""
        return [self._texts.last_of(state, self._texts.last_count) for state in self._states]


def placeholder(index: int) -> StelaError:
    """That an id stands for a token which is not drawn yet."""
    return StelaError(
        f"id {index} is no token: the ids generated so far end in a placeholder.",
        "hand over each row's ids once its last token is drawn",
    )
