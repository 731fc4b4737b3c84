"""Run work on a Ray cluster: ``--executor ray``."""

from stela_cli.jobs.executor import Executor

import stela_core as stela
from stela_ray.executor import RayExecutor

__all__ = ["RayExecutor", "stela_register_executors"]


@stela.hookimpl
def stela_register_executors() -> type[Executor]:
    """Register the executor."""
    return RayExecutor
