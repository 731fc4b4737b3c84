"""The marks of running requests: the watermark's, under separate keys or with separate messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stela_core import Encoder, Hasher, Marker
from stela_serving.running import RunningRequest

MarkName = tuple[int, int | None]
"""Key and message of a request's mark."""


class RequestMarks:
    """Make each mark once, and the marker of a step's rows where they are others than at the last one.

    Args:
        marker: of rows that have no key and no message.
    """

    def __init__(self, marker: Marker) -> None:
        self.usual = marker
        """The marker of rows that have no key and no message."""
        self._hasher, self._encoder = marker.composition.hasher, marker.composition.encoder
        self.usual_key = self._hasher.key
        """The key of rows that have none."""
        self.made: dict[MarkName, Hasher] = {(self.usual_key, None): self._hasher}
        """The hasher under each key, and with each message, in use."""
        self._of_rows: tuple[tuple[MarkName, ...], Marker] | None = None

    def message(self, message: int | str | None) -> int | None:
        """A request's message as a number; errors as for :func:`.with_message`."""
        if self._encoder is not None:
            return self._encoder.required(message)
        if message is not None:
            raise Encoder.missing()
        return None

    def add(self, state: RunningRequest) -> None:
        """Have the mark of a request that begins."""
        name = self._name(state)
        if name in self.made:
            return
        mark = self._hasher if state.key is None else self._hasher.under(state.key)
        if self._encoder is not None and state.message is not None:
            mark = self._encoder.carrying(mark, state.message)
        self.made[name] = mark

    def remove(self, state: RunningRequest, others: Iterable[RunningRequest]) -> None:
        """Forget the mark of a request that ended, where no other one has it."""
        name = self._name(state)
        if name != (self.usual_key, None) and all(self._name(other) != name for other in others):
            del self.made[name]
            self._of_rows = None

    def marker(self, running: Sequence[RunningRequest]) -> Marker:
        """The marker of a step with these rows."""
        if all(state.key is None and state.message is None for state in running):
            return self.usual
        names = tuple(self._name(state) for state in running)
        if self._of_rows is None or self._of_rows[0] != names:
            self._of_rows = names, self.usual.of_marks([self.made[name] for name in names])
        return self._of_rows[1]

    def _name(self, state: RunningRequest) -> MarkName:
        return (self.usual_key if state.key is None else state.key), state.message
