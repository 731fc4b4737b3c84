"""Requests that wait for a worker: in the order they came, with one worker that heavy ones never hold."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections.abc import Callable

from stela_serve.refused import RefusedError


class Job:
    """A request on its way.

    Args:
        request: as a worker reads it.
        number: of its place in the line, which it keeps when it is tried again.
        heavy: it may take long.
        lost: is called where it costs a worker.
    """

    def __init__(
        self, request: bytes, number: int, heavy: bool = False, lost: Callable[[], None] = lambda: None
    ) -> None:
        self.request, self.number, self.heavy, self.lost = request, number, heavy, lost
        self.tries = 0
        self.taken = asyncio.Event()
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def __lt__(self, other: Job) -> bool:
        return self.number < other.number

    def end(self, answer: bytes | RefusedError) -> None:
        """Answer it, unless nobody waits any more."""
        if self.answer.done():
            return
        if isinstance(answer, RefusedError):
            self.answer.set_exception(answer)
            self.answer.exception()  # seen, even where the client has gone
        else:
            self.answer.set_result(answer)


class Line:
    """The requests that wait."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []
        self._changed = asyncio.Condition()

    def __len__(self) -> int:
        return len(self._jobs)

    async def put(self, job: Job) -> None:
        """Let it wait; one that has waited before stands where it stood."""
        async with self._changed:
            insort(self._jobs, job)
            self._changed.notify_all()

    async def take(self, light: bool) -> Job:
        """The next one; with ``light``, the next that is not heavy. Cancelling this loses none."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._first(light) is not None)
            place = self._first(light)
            assert place is not None
            return self._jobs.pop(place)

    def discard(self, job: Job) -> None:
        """Let a job wait no longer, if it does."""
        self._jobs = [other for other in self._jobs if other is not job]

    def drain(self) -> list[Job]:
        """All of them, which wait no longer."""
        jobs, self._jobs = self._jobs, []
        return jobs

    def _first(self, light: bool) -> int | None:
        return next((n for n, job in enumerate(self._jobs) if not (light and job.heavy)), None)
