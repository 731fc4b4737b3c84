"""Processes of the executor ``local``: each is spawned, unpickles the job once, ends with its parent."""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from stela_cli.jobs.executor import Item, Job, Result, Workers
from stela_cli.jobs.spawning import SpawnAndRemember, interrupt_held_back, threads_of
from stela_core import StelaError
from stela_core.api import contained

log = logging.getLogger(__name__)

IN_FLIGHT = 2
"""Items handed out per worker besides the one it works on: enough to keep it busy, little to hold."""


class Processes(Workers[Item, Result]):
    """Spawned processes; each unpickles the job once."""

    def __init__(self, job: Job[Item, Result], workers: int) -> None:
        self._workers = workers
        self._context = SpawnAndRemember(threads_of(workers))
        self._pool = ProcessPoolExecutor(workers, self._context, _receive, (pickle.dumps(job),))
        self._unfinished: deque[Future[Result]] = deque()
        log.info("work is shared by %d processes", workers)

    def map(self, items: Iterable[Item]) -> Iterator[Result]:
        """The result of each item, in order."""
        waiting = self._unfinished = deque()
        try:
            for item in items:
                with interrupt_held_back():
                    waiting.append(self._pool.submit(_run, item))
                if len(waiting) > IN_FLIGHT * self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise StelaError(
                "a worker process died.",
                "it may have run out of memory: use fewer --workers; --workers 1 needs no other process",
            ) from None

    def close(self) -> None:
        """End the processes, at once where they are at work."""
        if not all(future.done() for future in self._unfinished):
            for process in self._context.started:
                process.terminate()
        self._pool.shutdown(wait=True, cancel_futures=True)


_pickled = b""
_job: Job[Any, Any] | None = None


def _receive(pickled: bytes) -> None:
    global _pickled
    _pickled = pickled
    with suppress(OSError):  # one of the two is closed
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # results alone go to standard output
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where it is not held back
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed tells nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contained
def _run(item: Any) -> Any:
    global _job
    if _job is None:
        # Not in the initialiser: what fails there breaks the pool and loses the reason.
        job: Job[Any, Any] = pickle.loads(_pickled)
        job.start()
        _job = job
    return _job.run(item)
