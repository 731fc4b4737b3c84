"""Workers, and the requests that wait for one: bounded in number and time, none lost with a worker.

A request is tried on a second worker where the first died under it, and answered 503 where that dies, too.
One that takes longer than it may is answered 504, and its worker is killed and replaced. The first worker,
where there are several, takes no heavy requests: long texts of some do not keep short ones of others waiting.

It is our own: ``concurrent.futures`` breaks as a whole where one process dies and cannot end one that takes
too long; ``pebble`` can, but tries nothing again and keeps no worker for what is short.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from stela_core import StelaError
from stela_serve.examine import Setup
from stela_serve.frames import LAST, REFUSED, LostWorkerError
from stela_serve.limits import Limits
from stela_serve.line import Job, Line
from stela_serve.process import WorkerProcess
from stela_serve.refused import RefusedError, busy

TRIES = 2

PAUSES = (0.0, 0.5, 2.0, 5.0, 10.0)
"""Seconds before a worker is replaced, by how many before it in its place did no work."""

Heard = Callable[[str], None]
"""Function that is told of workers that go, in a word: ``died``, ``killed``, ``grown``, ``refused``."""


class Pool:
    """Processes that test texts.

    Args:
        setup: what each of them opens.
        workers: how many.
        limits: of waiting and working.
        heard: is told of workers that go.
    """

    def __init__(self, setup: Setup, workers: int, limits: Limits, heard: Heard = lambda _: None) -> None:
        self._setup, self._limits, self._heard = setup, limits, heard
        self.workers = workers
        self.hello: dict[str, Any] = {}
        self._line = Line()
        self._numbers = itertools.count()
        self._inside = 0
        self._alive: dict[int, WorkerProcess] = {}
        self._failed: Counter[int] = Counter()
        """Workers in a row, in each place, that answered nothing."""
        self._keepers: list[asyncio.Task[None]] = []
        self._closed = False

    async def start(self) -> None:
        """Start the first worker, which tells what the profiles are, then the others while the service runs.

        Raises:
            StelaError: the profiles cannot be opened.
        """
        try:
            first = await WorkerProcess.start(replace(self._setup, page=True))
        except LostWorkerError:
            raise StelaError(
                "the first worker ended before it was ready.", "give it more --memory, or fewer profiles"
            ) from None
        self.hello = first.hello
        for place in range(self.workers):
            keeper = self._keep(place, None if place else first)
            self._keepers.append(asyncio.create_task(keeper))

    @property
    def ready(self) -> int:
        """Workers that are up."""
        return len(self._alive)

    @property
    def pids(self) -> list[int]:
        """Process ids of the workers that are up."""
        return [worker.pid for worker in self._alive.values()]

    @property
    def waiting(self) -> int:
        """Requests at hand, those that are worked on included."""
        return self._inside

    async def ask(
        self, request: bytes, heavy: bool = False, lost: Callable[[], None] = lambda: None
    ) -> bytes:
        """What a worker answers.

        Args:
            request: as a worker reads it.
            heavy: it may take long.
            lost: is called for each worker that it costs, by taking too long or by ending it; also where
                nobody waits for the answer any more.

        Raises:
            RefusedError: the queue is full, no worker came free in time, or none could answer.
        """
        if self._closed or self._inside >= self.workers + self._limits.queue:
            raise busy("the service is stopping." if self._closed else "too many requests are waiting.", 5)
        job = Job(request, next(self._numbers), heavy, lost)
        self._inside += 1
        try:
            await self._line.put(job)
            try:
                async with asyncio.timeout(self._limits.wait):
                    await job.taken.wait()
            except TimeoutError:
                raise busy("no worker came free in time.", 10) from None
            try:
                # Each try is timed by the worker's keeper: this is for what no worker takes up again.
                async with asyncio.timeout(TRIES * self._limits.seconds + self._limits.wait):
                    return await job.answer
            except TimeoutError:
                raise busy("no worker came free in time.", 10) from None
        finally:
            self._inside -= 1
            job.answer.cancel()
            self._line.discard(job)  # who has gone leaves nothing that takes memory

    async def close(self) -> None:
        """End all workers; what still waits is answered 503."""
        self._closed = True
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        for job in self._line.drain():
            job.end(busy("the service is stopping.", 5))

    async def _keep(self, place: int, worker: WorkerProcess | None) -> None:
        """Keep a worker in this place, whatever happens to it."""
        while True:
            try:
                if worker is None:
                    await asyncio.sleep(PAUSES[min(self._failed[place], len(PAUSES) - 1)])
                    self._failed[place] += 1
                    worker = await WorkerProcess.start(self._setup)
                await self._use(place, worker)
            except (StelaError, LostWorkerError, OSError):
                self._heard("refused")
            except Exception as error:
                self._heard(type(error).__name__)
            worker = None

    async def _use(self, place: int, worker: WorkerProcess) -> None:
        """Let a worker answer requests as long as it can.

        Raises:
            LostWorkerError: it has opened other profiles: answers would depend on who gives them.
        """
        try:
            if told_of(worker.hello) != told_of(self.hello):
                raise LostWorkerError
            self._alive[place] = worker
            while await self._one(place, worker):
                pass
        finally:
            self._alive.pop(place, None)
            await asyncio.shield(worker.kill())

    async def _one(self, place: int, worker: WorkerProcess) -> bool:
        """Wait for a request and let the worker answer it; whether the worker can go on."""
        job = await self._next(place, worker)
        if job is None:
            self._heard("died")
            return False
        if job.answer.done():
            return True
        failed, self._failed[place] = self._failed[place], 0
        job.tries += 1
        job.taken.set()
        try:
            async with asyncio.timeout(self._limits.seconds):
                kind, content = await worker.ask(job.request)
        except TimeoutError:
            self._heard("killed")
            job.lost()
            seconds = f"{self._limits.seconds:g}"
            job.end(
                RefusedError(504, f"the request took more than {seconds} s.", "send fewer or shorter texts")
            )
            return False
        except LostWorkerError:
            self._failed[place] = failed
            self._heard("died")
            job.lost()
            if job.tries < TRIES:
                await self._line.put(job)
            else:
                job.end(busy("two workers ended while they tested this.", 30))
            return False
        except asyncio.CancelledError:
            job.end(busy("the service is stopping.", 5))
            raise
        if kind == REFUSED:
            job.end(refusal(content))
        else:
            job.end(content)
        if kind == LAST:
            self._heard("grown")
        return kind != LAST

    async def _next(self, place: int, worker: WorkerProcess) -> Job | None:
        """The next request; ``None`` where the worker ended before there was one."""
        take = asyncio.create_task(self._line.take(light=self.workers > 1 and place == 0))
        gone = asyncio.create_task(worker.ended())
        try:
            await asyncio.wait({take, gone}, return_when=asyncio.FIRST_COMPLETED)
            return take.result() if take.done() else None
        except asyncio.CancelledError:
            if take.done():
                take.result().end(busy("the service is stopping.", 5))
            raise
        finally:
            # The line loses nothing where who waits is cancelled before it was given something.
            for task in (take, gone):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({task})


def told_of(hello: dict[str, Any]) -> list[Any]:
    """What has to be equal in all workers."""
    return [hello.get(name) for name in ("profiles", "tests", "messages", "signer")]


def refusal(kind: bytes) -> RefusedError:
    """What a worker could not answer, by the kind of what went wrong."""
    if kind == b"NothingLeft":
        return RefusedError(
            404, "the hint leaves no key to test for.", "see /v1/profiles, or leave a part of the hint out"
        )
    if kind == b"StelaError":
        return RefusedError(422, "a text cannot be tested.", "stela detect says why")
    if kind == b"MemoryError":
        return RefusedError(413, "the request takes too much memory.", "send fewer or shorter texts")
    return RefusedError(500, "the request could not be answered.", "report it to whoever runs the service")
