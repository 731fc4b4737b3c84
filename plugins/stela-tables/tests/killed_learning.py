"""``stela lambda learn`` with a checkpoint after every batch, killed at a chosen moment: run by the tests.

    python killed_learning.py MOMENT CALL [ARGUMENT ...]

The process kills itself at the CALL-th time that MOMENT is reached, counted from 1.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from stela_cli.main import run
from stela_tables.learning import learn, sums

MOMENTS = ("before-run", "within-run", "before-state", "after-state")


def main() -> None:
    moment, call, *arguments = sys.argv[1:]
    left = [int(call)]

    def reached(name: str) -> None:
        if name == moment:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(before: str, work: Callable[..., Any], after: str = "") -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            reached(before)
            result = work(*given, **named)
            reached(after)
            return result

        return call

    # Any: what a module imports is not its to give.
    using: Any = learn
    using.Sums = partial(sums.Sums, every=0.0)
    module: Any = sums
    module.FAN = 3
    module.write_atomically = around("before-state", module.write_atomically, "after-state")
    writer = module.RunWriter
    writer.__init__ = around("before-run", writer.__init__)
    writer.append = around("within-run", writer.append)
    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
