"""The executor ``ray``: one actor per worker, spread over the nodes of a cluster."""

from __future__ import annotations

import importlib.util
import os
from typing import TypeVar

from pydantic import Field
from stela_cli.jobs.executor import Executor, Job, Workers

import stela_core as stela

Item = TypeVar("Item")
Result = TypeVar("Result")


class RayParameters(stela.Parameters):
    """Which cluster, how many workers, and what each holds."""

    workers: int | None = Field(default=None, ge=1, le=100_000)
    """Number of workers; by default as many as the cluster has room for."""

    address: str | None = None
    """Address of a cluster; by default ``RAY_ADDRESS``, or one that is started on this machine."""

    cpus: float = Field(default=1.0, gt=0)
    """CPUs a worker holds."""

    gpus: float = Field(default=0.0, ge=0)
    """GPUs a worker holds; below 1, workers share one."""


class RayExecutor(Executor[RayParameters]):
    """Run a job on a Ray cluster; a worker that is lost is replaced, and its items are run again.

    All nodes need the same Python, stela-core and plugins; local plugin files are sent along.
    """

    name = "ray"

    def __init__(self, parameters: RayParameters | None = None) -> None:
        super().__init__(parameters or RayParameters())

    @classmethod
    def status(cls) -> stela.Status:
        """Whether Ray is installed."""
        if importlib.util.find_spec("ray") is None:
            return stela.Status(False, 'pip install "ray>=2.40"')
        return stela.Status()

    def start(self, job: Job[Item, Result]) -> Workers[Item, Result]:
        """Connect to the cluster, or start one here, and start the workers.

        Raises:
            MissingLibraryError: Ray is not installed.
            StelaError: the cluster cannot be reached, or has no room for a worker.
        """
        try:
            import ray
        except ImportError:
            raise stela.MissingLibraryError("Ray", 'executor "ray"', '"ray>=2.40"') from None
        from stela_ray.connection import connect, disconnect
        from stela_ray.workers import RayWorkers

        owned = not ray.is_initialized()
        if owned:
            connect(self.parameters.address or os.environ.get("RAY_ADDRESS"))
        try:
            return RayWorkers(job, self._room(), self.parameters.cpus, self.parameters.gpus, owned)
        except BaseException:
            if owned:
                disconnect()
            raise

    def _room(self) -> int:
        """How many workers to start."""
        import ray

        have = ray.cluster_resources()  # type: ignore[no-untyped-call]
        wanted = self.parameters
        room = int(have.get("CPU", 0) // wanted.cpus)
        if wanted.gpus:
            room = min(room, int(have.get("GPU", 0) / wanted.gpus))
        if not room:
            raise stela.StelaError(
                f"the Ray cluster has {have.get('CPU', 0):g} CPUs and {have.get('GPU', 0):g} GPUs: no room "
                f"for a worker of {wanted.cpus:g} CPUs and {wanted.gpus:g} GPUs.",
                "add nodes, or ask for less",
            )
        return min(room, wanted.workers or room)
