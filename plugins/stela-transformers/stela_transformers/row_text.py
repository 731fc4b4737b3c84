"""The text of a row, all of it or the answer in it: what follows the thoughts, without calls of tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stela_serving.answers import AnswerIds, Delimiters

from stela_core.api import TextState

Begin = Callable[[Sequence[int]], TextState]


class RowText:
    """What is known of a row.

    Args:
        begin: the state of a text of these ids (:meth:`stela_core.Marker.begin`).
        prompt: ids of the row's prompt.
        ids: that were generated after it.
        delimiters: of what is hidden, where only the answer is marked.
    """

    def __init__(
        self,
        begin: Begin,
        prompt: Sequence[int] = (),
        ids: Sequence[int] = (),
        delimiters: Delimiters | None = None,
    ) -> None:
        self._begin = begin
        self._answer = None if delimiters is None else AnswerIds(delimiters, prompt)
        if self._answer is not None:
            for token in ids:
                self._answer.append(token)
        self.text = begin(ids if self._answer is None else list(self._answer))
        """The state of the text that is marked."""

    @property
    def is_marked(self) -> bool:
        """Whether the next token is of that text."""
        return self._answer is None or self._answer.is_open

    def append(self, token: int) -> None:
        """Take the next token of the row."""
        if self._answer is None:
            self.text.append(token)
            return
        before = len(self._answer)
        self._answer.append(token)
        if len(self._answer) > before:
            self.text.append(token)
        elif len(self._answer) < before:  # the last tokens began a hidden part
            self.text = self._begin(list(self._answer))

    def copy(self) -> RowText:
        """Another row that goes on from here."""
        other = object.__new__(RowText)
        other._begin, other.text = self._begin, self.text.copy()
        other._answer = None if self._answer is None else self._answer.copy()
        return other
