"""A weighting that fails on some texts in the ways that a library may: for the tests of the service."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

import stela_core as stela


class Trap(stela.Weighting):
    """Weight 1, unless a text says otherwise."""

    name = "trap"
    needs = frozenset({"text"})

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        text = "".join(positions.text)
        if "HANG" in text:
            while True:
                time.sleep(1)
        while "WAITS" in text and not Path(os.environ["TRAP_GATE"]).exists():
            time.sleep(0.02)
        if "DIES" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        flag = Path(os.environ.get("TRAP_FLAG", "/nonexistent"))
        if "ONCE" in text and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if "LOUD" in text:
            print(text)
            print(text, file=sys.stderr)
            os.write(1, text.encode())
        if "BREAK" in text:
            raise ValueError(text)
        if "REFUSE" in text:
            raise stela.StelaError(text, text)
        if "LARGE" in text:
            np.ones(1 << 34)
        return np.ones(positions.count)


@stela.hookimpl
def stela_register_weightings() -> type[Trap]:
    return Trap
