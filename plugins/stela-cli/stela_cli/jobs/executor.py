"""Executor: where many independent pieces of work run: in this process, in several, on a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Generic, Self, TypeVar

from stela_core import Component
from stela_core.api import P_co

Item = TypeVar("Item")
Result = TypeVar("Result")


class Job(ABC, Generic[Item, Result]):
    """What workers do with each item. Picklable, as items and results are; exceptions reach the caller.

    ``run`` is a function only of the item: an executor may run an item again if a worker was lost.
    """

    def start(self) -> None:
        """Load what does not travel: it is called once in each worker, before the worker's first item."""

    @abstractmethod
    def run(self, item: Item) -> Result:
        """The result of one item."""


class Workers(ABC, Generic[Item, Result]):
    """Started workers; a context manager that leaves none behind."""

    @abstractmethod
    def map(self, items: Iterable[Item]) -> Iterator[Result]:
        """The result of each item, in the order of the items; only a few items are read ahead.

        Raises:
            StelaError: a worker was lost, and its item could not be done by another.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop the workers; what they have not finished is dropped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Executor(Component, Generic[P_co]):
    """Start workers for a job. Parameters named ``workers`` are set by ``--workers``.

    Copy me::

        import stela_core as stela

        class Here(Workers):
            def __init__(self, job):
                job.start()
                self.job = job

            def map(self, items):
                return map(self.job.run, items)

            def close(self):
                pass

        class Plain(Executor):
            name = "plain"

            def start(self, job):
                return Here(job)

        @stela.hookimpl
        def stela_register_executors():
            return Plain
    """

    kind = "executor"
    hook = "stela_register_executors"

    def __init__(self, parameters: P_co) -> None:
        self.parameters = parameters

    @abstractmethod
    def start(self, job: Job[Item, Result]) -> Workers[Item, Result]:
        """Workers for the job; use them as a context manager.

        Raises:
            StelaError: they cannot be started here.
        """
