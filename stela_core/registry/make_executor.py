"""The name of an executor to one that can run here."""

from __future__ import annotations

from stela_core.errors import StelaError
from stela_core.interfaces import Executor
from stela_core.parameters import parse_parameters
from stela_core.registry.components import Registry


def make_executor(registry: Registry, name: str, workers: int | None = None, **others: object) -> Executor:
    """Construct the executor of this name.

    Args:
        registry: where it is looked up.
        name: ``local``, or what a plugin registers.
        workers: how many; ``None`` leaves it to the executor.
        others: its other parameters.

    Raises:
        StelaError: no executor has this name, or it cannot run here.
    """
    executor: type[Executor] = registry.get(Executor, name)
    status = executor.status()
    owner = f'executor "{name}"'
    if not status.ok:
        raise StelaError(f"{owner} cannot run here.", status.hint)
    given = others if workers is None else {**others, "workers": workers}
    return executor(parse_parameters(executor.Parameters, given, owner))
