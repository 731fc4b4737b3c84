"""Processes that the executor ``local`` spawns: remembered, deaf to Ctrl-C, on a share of the cores."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

THREADS = "OMP_NUM_THREADS"
"""Read by OpenMP, and by MKL and OpenBLAS where theirs is not set, when they are loaded."""


def threads_of(workers: int) -> int:
    """Threads of each worker's matrix products, so that all workers together have one a core.

    Threads of OpenMP wait for each other in a busy loop: two workers with two threads each spent three
    quarters of their time so on two busy cores.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // workers)


class SpawnAndRemember(SpawnContext):
    """Processes that are spawned: a fork of one with threads (a tagger's, the progress bar's) may hang.

    Args:
        threads: of OpenMP in each process, where the user's environment does not say.
    """

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []
        self._threads = threads

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A process, kept in mind to be ended."""
        process = OnItsShare(self._threads, *args, **kwargs)
        self.started.append(process)
        return process


class OnItsShare(SpawnProcess):
    """A process whose environment is made before it imports anything: libraries read it then."""

    def __init__(self, threads: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._threads = threads

    def start(self) -> None:
        """Start it."""
        if THREADS in os.environ:
            super().start()
            return
        os.environ[THREADS] = str(self._threads)
        try:
            super().start()
        finally:
            del os.environ[THREADS]


@contextmanager
def interrupt_held_back() -> Iterator[None]:
    """Ctrl-C takes effect at the end; processes begun meanwhile never see it: it is their parent's business.

    Ignoring it in the process itself would come too late for one that is still importing.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
