"""One running request of an engine: the state of its text, and where its tokens come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stela_core.api import TextState


class RunningRequest:
    """A request from its beginning to its end.

    Args:
        begin: the state of a text of these ids (:meth:`stela_core.Marker.begin`).
        size: ids of the vocabulary: those from here on get no bias.
        ids: what it has generated so far.
        key: of this text; ``None`` for the profile's.
        message: that its mark carries; ``None`` for none.
        source: the list that its tokens are read from; ``None`` where they are handed over one by one.
        record: keep the weights applied.
    """

    __slots__ = ("_begin", "_record", "_size", "key", "message", "source", "stepped", "text", "weights")

    def __init__(
        self,
        begin: Callable[[Sequence[int]], TextState],
        size: int,
        ids: Sequence[int],
        key: int | None,
        source: Sequence[int] | None,
        record: bool,
        message: int | None = None,
    ) -> None:
        self._begin = begin
        self._size = size
        self._record = record
        self.text = begin(ids)
        self.key = key
        self.message = message
        self.source = source
        self.stepped = -1
        """Tokens that were there at the last step; -1 before the first."""
        self.weights: list[float | None] = []
        """Weight of each token, and after a step of the next one, where weights are kept."""
        self._pad()

    def copy(self) -> RunningRequest:
        """Another that goes on from here; its tokens are handed over one by one."""
        other = RunningRequest(self._begin, self._size, (), self.key, None, self._record, self.message)
        other.text = self.text.copy()
        other.weights = self.weights[:]
        return other

    def append(self, token: int) -> None:
        """Take the next token; one beyond the vocabulary gets no bias, whatever the step's weight."""
        if token >= self._size and len(self.weights) > self.text.length:
            self.weights[self.text.length] = None
        self.text.append(token)
        self._pad()

    def read(self, placeholders: bool = False) -> None:
        """Take what the list of its tokens has grown by; from the beginning, where it is another list now.

        Args:
            placeholders: leave those at its end be.

        Raises:
            StelaError: a placeholder stands in it.
        """
        source, text = self.source, self.text
        if source is None:
            return
        known = text.last_ids()
        if len(source) < text.length or list(source[text.length - len(known) : text.length]) != known:
            self.text = text = self._begin(())
            del self.weights[:]
        new = [int(token) for token in source[text.length :]]
        drawn = next((number for number, token in enumerate(new) if token < 0), len(new))
        if text.length:
            for token in new[:drawn]:
                self.append(token)
        elif drawn:
            self.text = self._begin(new[:drawn])
            self._pad()
        if drawn < len(new) and not placeholders:
            self.text.append(new[drawn])  # which it refuses

    def keep(self, weight: float | None) -> None:
        """Take note of a step, and of the weight of the token that comes next."""
        self.stepped = length = self.text.length
        if self._record:
            del self.weights[length:]
            self.weights.append(weight)

    def _pad(self) -> None:
        """Tokens that were drawn without a step of ours have no weight."""
        missing = self.text.length - len(self.weights)
        if self._record and missing > 0:
            self.weights += [None] * missing
