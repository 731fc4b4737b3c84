"""Connect to a Ray cluster and leave it again, without a word of Ray's on stdout."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray
from ray._private import worker

import stela_core as stela

logger = logging.getLogger(__name__)

PRINTER = "print_to_stdstream"
"""Ray's function for news of the cluster (a worker was lost, a task is tried again): it prints them
on stdout whatever ``log_to_driver`` says, and no option stops it. Where Ray renames it, news are seen."""

_printer: Any = getattr(worker, PRINTER, None)


def connect(address: str | None) -> None:
    """Connect to the cluster at ``address``; ``None`` starts one on this machine.

    Raises:
        StelaError: it cannot be reached, or started.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    # Its C++ part writes errors of other processes' making to our stderr, such as that a worker killed by
    # Ctrl-C cannot be told so. What fails for the user is raised, and told in a line of ours.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    if _printer is not None:
        setattr(worker, PRINTER, _log)
    try:
        # "local": by itself Ray would join whatever cluster was started last on this machine.
        with _stderr_kept_back():  # it says there which level it took
            ray.init(
                address or "local", log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None
            )
    except BaseException as error:
        disconnect()
        if not isinstance(error, Exception):
            raise
        where = f'at "{address}" cannot be reached' if address else "cannot be started"
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise stela.StelaError(
            f"a Ray cluster {where}: {reason[:200]}",
            "check RAY_ADDRESS, and `ray status` on the head node",
        ) from None


def disconnect() -> None:
    """Leave the cluster; one that :func:`connect` started ends."""
    ray.shutdown()
    if _printer is not None:
        setattr(worker, PRINTER, _printer)


@contextmanager
def _stderr_kept_back() -> Iterator[None]:
    """What is written to this process's stderr meanwhile, by C++ too, goes to the log."""
    with tempfile.TemporaryFile() as kept:
        own = os.dup(2)
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(own, 2)
            os.close(own)
            kept.seek(0)
            for line in kept.read().decode(errors="replace").splitlines():
                logger.info("%s", line)


def _log(data: dict[str, Any], ignore_prefix: bool = False) -> None:
    for line in data.get("lines", ()):
        logger.info("%s", line)
