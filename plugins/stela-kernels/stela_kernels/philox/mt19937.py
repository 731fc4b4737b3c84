"""PyTorch's random generator on a CPU, without torch."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt


class _Generators(threading.local):
    """One generator a thread: making one asks the system for entropy, seeding one again does not."""

    def __init__(self) -> None:
        self.state = np.random.RandomState(0)


_GENERATORS = _Generators()


def mt19937(seed: int, count: int) -> npt.NDArray[np.uint32]:
    """The first ``count`` outputs (uint32) of PyTorch's CPU generator, seeded with a seed's low 32 bits.

    It is MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 1998), seeded by Knuth's rule.
    NumPy's ``RandomState`` is the same, with the same rule. Marks of other toolkits are drawn from it.
    """
    state = _GENERATORS.state
    state.seed(seed & 0xFFFFFFFF)
    return state.randint(0, 1 << 32, size=count, dtype=np.uint32)
