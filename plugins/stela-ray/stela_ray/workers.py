"""Workers on a Ray cluster: actors that hold the job, results in the order of the items."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import ray
from ray import cloudpickle
from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError
from stela_cli.jobs.executor import Job, Workers

import stela_core as stela
from stela_core.api import contained
from stela_ray.connection import disconnect

Item = TypeVar("Item")
Result = TypeVar("Result")

PICKLER: Any = cloudpickle
"""The module cloudpickle, whose functions have no types."""

IN_FLIGHT = 2
"""Items at a worker at a time: one to work on, one to go on with."""

RESTARTS = 3
"""How often a worker that was lost is replaced."""

ALWAYS = -1
"""An item is tried again as long as its worker is replaced: while a node dies, calls that never reached
the worker would use up any number of tries in a moment."""

PATIENCE = 60.0
"""Seconds without a result after which the cluster is asked whether it still has nodes."""


class Holder:
    """What runs in a worker process: the job, unpickled and started at the first item.

    Unpickling imports plugins: one that exits then would end the actor, and the next, without a word.
    """

    def __init__(self, job: bytes) -> None:
        self._pickled = job
        self._job: Job[Any, Any] | None = None

    def run(self, item: Any) -> Any:
        """The result of one item."""
        with contained:
            if self._job is None:
                job: Job[Any, Any] = PICKLER.loads(self._pickled)
                job.start()
                self._job = job
            return self._job.run(item)


class RayWorkers(Workers[Item, Result]):
    """Actors spread over the nodes.

    Ray itself replaces an actor whose process or node is lost (``max_restarts``), and gives it the items
    again that it had not finished (``max_task_retries``): each item has one result, so what is counted is
    the same with and without losses.
    """

    def __init__(
        self, job: Job[Item, Result], count: int, cpus: float, gpus: float, owns_cluster: bool
    ) -> None:
        self._owns_cluster = owns_cluster
        kind = ray.remote(Holder).options(
            num_cpus=cpus,
            num_gpus=gpus,
            max_restarts=RESTARTS,
            max_task_retries=ALWAYS,
            scheduling_strategy="SPREAD",
        )
        # The job itself, not a reference to it: a replacement needs it when its first node is gone.
        # Any: Ray's types know no methods of an actor.
        pickled = PICKLER.dumps(job)
        self._actors: list[Any] = [kind.remote(pickled) for _ in range(count)]

    def map(self, items: Iterable[Item]) -> Iterator[Result]:
        """The result of each item, in order; a free worker takes the next one."""
        load = dict.fromkeys(range(len(self._actors)), 0)
        at_work: dict[Any, int] = {}
        waiting: deque[Any] = deque()
        for item in items:
            if len(waiting) >= IN_FLIGHT * len(self._actors):
                yield self._result(waiting.popleft())
            done, _ = ray.wait(list(at_work), num_returns=len(at_work), timeout=0) if at_work else ([], [])
            for finished in done:
                load[at_work.pop(finished)] -= 1
            free = min(load, key=lambda number: load[number])
            reference = self._actors[free].run.remote(item)
            at_work[reference] = free
            load[free] += 1
            waiting.append(reference)
        while waiting:
            yield self._result(waiting.popleft())

    def close(self) -> None:
        """Kill the actors; shut the cluster down where it was started for them."""
        for actor in self._actors:
            ray.kill(actor, no_restart=True)
        self._actors = []
        if self._owns_cluster:
            disconnect()

    def _result(self, reference: Any) -> Result:
        while True:
            try:
                result: Result = ray.get(reference, timeout=PATIENCE)
                return result
            except GetTimeoutError:
                nodes = ray.nodes()  # type: ignore[no-untyped-call]
                if not any(node["Alive"] for node in nodes):
                    raise stela.StelaError(
                        "the Ray cluster has no living node left.", "look at `ray status` and start again"
                    ) from None
            except RayTaskError as error:
                if isinstance(error.cause, stela.StelaError):
                    raise stela.StelaError(error.cause.message, error.cause.hint) from None
                raise (error.cause or error) from None
            except RayActorError as error:
                raise stela.StelaError(
                    f"a worker on the Ray cluster was lost {RESTARTS + 1} times: {_first_line(error)}",
                    "it may have run out of memory: use fewer --workers, or nodes with more",
                ) from None
            except RayError as error:
                raise stela.StelaError(
                    f"the Ray cluster failed: {_first_line(error)}", "look at `ray status` and start again"
                ) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
