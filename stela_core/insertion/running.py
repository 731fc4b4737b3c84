"""One running request of an engine: the state of its text, and where its tokens come from."""

from __future__ import annotations

from collections.abc import Sequence

from stela_core.insertion.text_state import TextStates, placeholder


class RunningRequest:
    """A request from its beginning to its end.

    Args:
        texts: what keeps the states of its mark.
        ids: what it has generated so far.
        key: of its own; ``None`` for the profile's.
        message: that its mark carries; ``None`` for none.
        source: the list that its tokens are read from; ``None`` where they are handed over one by one.
        record: keep the weights applied.
    """

    __slots__ = ("_record", "_texts", "key", "message", "source", "stepped", "text", "weights")

    def __init__(
        self,
        texts: TextStates,
        ids: Sequence[int],
        key: int | None,
        source: Sequence[int] | None,
        record: bool,
        message: int | None = None,
    ) -> None:
        self._texts = texts
        self._record = record
        self.text = texts.begin(ids)
        self.key = key
        self.message = message
        self.source = source
        self.stepped = -1
        """Tokens that were there at the last step; -1 before the first."""
        self.weights: list[float | None] = []
        """Of each token, and after a step of the next one, where they are kept."""
        self._pad()

    def copy(self) -> RunningRequest:
        """Another that goes on from here; its tokens are handed over one by one."""
        other = RunningRequest(self._texts, (), self.key, None, self._record, self.message)
        other.text = self._texts.copy(self.text)
        other.weights = self.weights[:]
        return other

    def append(self, token: int) -> None:
        """Take the next token; one beyond the vocabulary bears no bias, whatever the step's weight."""
        if token >= self._texts.size and len(self.weights) > self.text.length:
            self.weights[self.text.length] = None
        self._texts.append(self.text, token)
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
        known = self._texts.last_of(text, self._texts.last_count)
        if len(source) < text.length or list(source[text.length - len(known) : text.length]) != known:
            self.text = text = self._texts.begin()
            del self.weights[:]
        new = [int(token) for token in source[text.length :]]
        drawn = next((number for number, token in enumerate(new) if token < 0), len(new))
        if text.length:
            for token in new[:drawn]:
                self.append(token)
        elif drawn:
            self.text = self._texts.begin(new[:drawn])
            self._pad()
        if drawn < len(new) and not placeholders:
            raise placeholder(new[drawn])

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
