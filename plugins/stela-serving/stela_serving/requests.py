"""Requests: insertion for an engine whose requests come, leave and change places from step to step.

An engine says which requests begin and end and hands over their tokens; once a step it calls with those that
are running, in the order of the rows of its logits::

    requests = wm.requests()
    requests.add("a")
    logits = requests(["a"], logits)  # one call a step, for all that run
    requests.append("a", token)
    requests.remove("a")

Each row is what :class:`.Marker` makes of all its ids, bit for bit, at O(window) a row, however long the
texts. :meth:`Requests.follow` reads a list that the engine itself puts tokens behind, as vLLM's
``output_token_ids``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stela_core import Marker, StelaError
from stela_core.api import NotPickled, Step, TextState, contained
from stela_serving.request_marks import RequestMarks
from stela_serving.running import RunningRequest

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")


class Requests(NotPickled):
    """Mark the logits of a step, with the state of each running request kept from step to step.

    For one thread at a time, as an engine's sampler is.

    Args:
        marker: of the rows that have no key and no message.
        record: keep the weights applied, for :meth:`weights`.
        key_now: gives the key that marks today, where that is another one from some day on.
    """

    def __init__(
        self, marker: Marker, record: bool = False, key_now: Callable[[], int] | None = None
    ) -> None:
        self._record = record
        self._marks = RequestMarks(marker)
        self._key_now, self._last_key = key_now, self._marks.usual_key
        self._begin_text, self._size = marker.begin, marker.vocabulary
        self._running: dict[Hashable, RunningRequest] = {}

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, request: object) -> bool:
        return request in self._running

    @property
    def samples(self) -> bool:
        """Whether the mark is a choice of tokens: logits then are the final ones, temperature and all."""
        return self._marks.usual.samples

    def add(
        self,
        request: Hashable,
        ids: Sequence[int] = (),
        key: int | None = None,
        message: int | str | None = None,
    ) -> None:
        """A request begins, or comes back; its tokens are handed over by :meth:`append`.

        Args:
            request: what it is called from now on.
            ids: what it has generated so far, its prompt left out.
            key: a 64-bit key in place of the profile's.
            message: that the mark carries, a number or hex digits, where the profile says that it does.

        Raises:
            StelaError: it runs already, an id is a placeholder, or the message is missing or none of the
                profile's.
        """
        self._begin(request, ids, key, None, message)

    def follow(
        self,
        request: Hashable,
        ids: Sequence[int],
        key: int | None = None,
        message: int | str | None = None,
    ) -> None:
        """A request begins whose tokens the engine itself puts into ``ids``: each step reads what is new.

        A list that got shorter, or whose last ids are others, is read again from its beginning. Placeholders
        (negative ids) are not read, and a step of a request is refused while one stands in its list.

        Args:
            request: what it is called from now on.
            ids: what it has generated so far, its prompt left out; it grows, and is not copied.
            key: as for :meth:`add`.
            message: as for :meth:`add`.

        Raises:
            StelaError: it runs already, or the message is missing or none of the profile's.
        """
        self._begin(request, (), key, ids, message)

    def append(self, request: Hashable, token: int) -> None:
        """The next token of a request that was added; of several, one after the other.

        Raises:
            StelaError: there is no such request, its tokens are read from a list, or the id is a placeholder.
        """
        state = self._get(request)
        if state.source is not None:
            raise StelaError(
                f"the tokens of request {request!r} are read from a list.",
                "append is for requests that were added; those that are followed need none",
            )
        state.append(int(token))

    def remove(self, request: Hashable) -> None:
        """A request ended, or leaves for a while: :meth:`add` it with its ids when it is back.

        Raises:
            StelaError: there is no such request.
        """
        state = self._get(request)
        del self._running[request]
        self._marks.remove(state, self._running.values())

    def copy(self, request: Hashable, other: Hashable) -> None:
        """Let another request go on from where one is, as drafts and beams do; its tokens are appended.

        Args:
            request: one that runs.
            other: what the new one is called.

        Raises:
            StelaError: there is no such request, the other runs already, or a placeholder stands in the list.
        """
        state = self._get(request)
        if other in self._running:
            raise _is_running(other)
        state.read()
        self._running[other] = state.copy()

    def length(self, request: Hashable) -> int:
        """Tokens of a request that are known: those before a placeholder.

        Raises:
            StelaError: there is no such request.
        """
        state = self._get(request)
        state.read(placeholders=True)
        return state.text.length

    def waits(self, request: Hashable) -> bool:
        """Whether a placeholder stands in the list of a request that is followed: a step would be refused.

        Raises:
            StelaError: there is no such request.
        """
        state = self._get(request)
        state.read(placeholders=True)
        return state.source is not None and len(state.source) > state.text.length

    @contained
    def __call__(self, requests: Sequence[Hashable], logits: Logits, again: bool = False) -> Logits:
        """The marked logits of a step.

        Args:
            requests: that of each row, in any order; those that run and are left out wait.
            logits: (rows, width), as for :class:`.Marker`.
            again: requests may be at the same token as at their last step, whose outcome was thrown away.

        Returns:
            logits of the same shape, kind, type and device; ``logits`` itself where no row is marked.

        Raises:
            StelaError: a request is not running or there twice, no token of it came since its last step, the
                next token of a row follows a placeholder, or as for :class:`.Marker`.
        """
        rows, marker = self._rows(requests, again)
        step = marker.step(rows, logits)
        self._keep(requests, step)
        return marker.finish(rows, step, logits)

    @contained
    def step(
        self,
        requests: Sequence[Hashable],
        logits: torch.Tensor | npt.NDArray[Any] | None = None,
        again: bool = False,
    ) -> Step:
        """Seeds, weights and biases of a step, without applying them; arguments as for a call.

        Args:
            requests: as for a call.
            logits: may be left out where the scheme's strength does not read them.
            again: as for a call.

        Raises:
            StelaError: as for a call, or the strength reads logits and there are none.
        """
        rows, marker = self._rows(requests, again)
        step = marker.step(rows, logits)
        self._keep(requests, step)
        return step

    def finish(self, requests: Sequence[Hashable], step: Step, logits: Logits) -> Logits:
        """Marked logits by a step of these requests that :meth:`step` made; no token of them came since.

        A call does both. A mark that chooses tokens wants final logits, which a caller may have to make for
        only the rows that the step marks.

        Args:
            requests: as for the step.
            step: is applied once.
            logits: as for a call.
        """
        rows, marker = self._rows(requests, again=True)
        return marker.finish(rows, step, logits)

    def weights(self, request: Hashable) -> list[float | None]:
        """Weights applied to each token of a running request; ``None`` where one was not marked here, or is
        beyond the profile's vocabulary.

        Raises:
            RuntimeError: ``wm.requests`` was called without ``record=True``.
            StelaError: there is no such request.
        """
        if not self._record:
            raise RuntimeError("weights are kept by wm.requests(record=True)")
        state = self._get(request)
        state.read(placeholders=True)
        return state.weights[: state.text.length]

    def _begin(
        self,
        request: Hashable,
        ids: Sequence[int],
        key: int | None,
        source: Sequence[int] | None,
        message: int | str | None,
    ) -> None:
        if request in self._running:
            raise _is_running(request)
        if key is None and self._key_now is not None:
            key = self._key_of_today(self._key_now)
        state = RunningRequest(
            self._begin_text, self._size, ids, key, source, self._record, self._marks.message(message)
        )
        self._marks.add(state)
        self._running[request] = state

    def _key_of_today(self, key_now: Callable[[], int]) -> int | None:
        """``None`` for the usual key. Where a day has no key, that of the day before: a server marks on."""
        try:
            self._last_key = key_now()
        except StelaError as error:
            warnings.warn(f"the key of before marks on: {error.message}", stacklevel=4)
        return None if self._last_key == self._marks.usual_key else self._last_key

    def _get(self, request: Hashable) -> RunningRequest:
        try:
            return self._running[request]
        except KeyError:
            raise StelaError(
                f"request {request!r} is not running here.",
                "add it when it begins (or comes back), with what it has generated so far",
            ) from None

    def _rows(self, requests: Sequence[Hashable], again: bool) -> tuple[list[TextState], Marker]:
        running = [self._get(request) for request in requests]
        if len(set(requests)) != len(running):
            twice = next(request for number, request in enumerate(requests) if request in requests[:number])
            raise StelaError(
                f"request {twice!r} has two rows of one step.", "give each request one row a step"
            )
        for request, state in zip(requests, running, strict=True):
            if state.source is not None:
                state.read()
            elif state.stepped == state.text.length and not again:
                raise StelaError(
                    f"no token of request {request!r} came since its last step.",
                    "append what was drawn; where a step was thrown away, call with again=True",
                )
        return [state.text for state in running], self._marks.marker(running)

    def _keep(self, requests: Sequence[Hashable], step: Step) -> None:
        for request, weight in zip(requests, step.weights, strict=True):
            self._running[request].keep(weight)


def _is_running(request: Hashable) -> StelaError:
    return StelaError(f"request {request!r} is running already.", "remove it first, or give it another name")
