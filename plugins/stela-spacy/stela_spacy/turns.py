"""One thread at a time, for what keeps tables and buffers between its calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class InTurns:
    """What its methods marked :func:`in_turns` wait for."""

    def __init__(self) -> None:
        self._turn = RLock()


Own = TypeVar("Own", bound=InTurns)


def in_turns(method: Callable[Concatenate[Own, P], R]) -> Callable[Concatenate[Own, P], R]:
    """Let one thread at a time into an object's methods."""

    @wraps(method)
    def alone(self: Own, /, *args: P.args, **named: P.kwargs) -> R:
        with self._turn:
            return method(self, *args, **named)

    return alone
