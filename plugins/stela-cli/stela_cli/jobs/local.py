"""The executor ``local``: this process, or several on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import Field

from stela_cli.jobs.executor import Executor, Item, Job, Result, Workers
from stela_core import Parameters
from stela_core.api import contained


class LocalParameters(Parameters):
    """How many processes."""

    workers: int = Field(1, ge=1, le=1024)
    """Processes; 1 is this one."""


class Local(Executor[LocalParameters]):
    """Run a job in this process, or in several that are spawned."""

    name = "local"

    def start(self, job: Job[Item, Result]) -> Workers[Item, Result]:
        """Start the workers."""
        if self.parameters.workers == 1:
            return InProcess(job)
        from stela_cli.jobs.processes import Processes

        return Processes(job, self.parameters.workers)


class InProcess(Workers[Item, Result]):
    """No other process: items are run when their results are asked for."""

    def __init__(self, job: Job[Item, Result]) -> None:
        self._job = job
        self._started = False

    def map(self, items: Iterable[Item]) -> Iterator[Result]:
        """The result of each item."""
        for item in items:
            with contained:
                if not self._started:
                    self._job.start()
                    self._started = True
                result = self._job.run(item)
            yield result

    def close(self) -> None:
        """Do nothing: there is nothing to stop."""
