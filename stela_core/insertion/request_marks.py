"""The marks of running requests: the watermark's, under keys or with messages of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from stela_core.composition import Composition
from stela_core.insertion.marker import Marker
from stela_core.insertion.row_keys import with_row_marks
from stela_core.insertion.running import RunningRequest
from stela_core.interfaces import Mark
from stela_core.interfaces.encoder import no_message

MarkName = tuple[int, int | None]
"""Key and message of a request's mark."""


class RequestMarks:
    """Make each mark once, and the marker of a step's rows where they are others than at the last one.

    Args:
        composition: hasher with its key, strength weighting and scale.
        make: a marker of these parts, or of those with other marks.
    """

    def __init__(self, composition: Composition, make: Callable[[Composition], Marker]) -> None:
        self._composition = composition
        self._make = make
        self.usual = make(composition)
        """The marker of rows that have no key and no message."""
        self.made: dict[MarkName, Mark] = {(composition.hasher.key, None): composition.hasher}
        """The hasher under each key, and with each message, in use."""
        self._of_rows: tuple[tuple[MarkName, ...], Marker] | None = None

    def message(self, message: int | str | None) -> int | None:
        """A request's message as a number; errors as for :func:`.with_message`."""
        if self._composition.encoder is not None:
            return self._composition.encoder.required(message)
        if message is not None:
            raise no_message()
        return None

    def add(self, state: RunningRequest) -> None:
        """Have the mark of a request that begins."""
        name, encoder = self._name(state), self._composition.encoder
        if name in self.made:
            return
        mark = self._composition.hasher if state.key is None else self._composition.hasher.under(state.key)
        if encoder is not None and state.message is not None:
            mark = encoder.carrying(mark, state.message)
        self.made[name] = mark

    def remove(self, state: RunningRequest, others: Iterable[RunningRequest]) -> None:
        """Forget the mark of a request that ended, where no other one has it."""
        name = self._name(state)
        if name != (self._composition.hasher.key, None) and all(
            self._name(other) != name for other in others
        ):
            del self.made[name]
            self._of_rows = None

    def marker(self, running: Sequence[RunningRequest]) -> Marker:
        """The marker of a step with these rows."""
        if all(state.key is None and state.message is None for state in running):
            return self.usual
        names = tuple(self._name(state) for state in running)
        if self._of_rows is None or self._of_rows[0] != names:
            marks = [self.made[name] for name in names]
            alike = all(mark is marks[0] for mark in marks)
            parts = self._composition
            parts = replace(parts, hasher=marks[0]) if alike else with_row_marks(parts, marks)
            self._of_rows = names, self._make(parts)
        return self._of_rows[1]

    def _name(self, state: RunningRequest) -> MarkName:
        return (self._composition.hasher.key if state.key is None else state.key), state.message
