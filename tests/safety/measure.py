"""What a file costs to read: ``python -m tests.safety.measure NAME ...`` prints a JSON line for each.

Each bomb is made in a process of its own and read in another one, both forked off this one after everything
was imported and an honest file of each kind was read: memory beyond that is the bomb's.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from stela_core.errors import StelaError
from tests.safety import honest
from tests.safety.bombs import bombs
from tests.safety.targets import NAMES, TARGETS

SECONDS = 20
"""Of CPU, after which a reader is ended."""


def main(names: list[str]) -> None:
    """Measure bombs, all of them by default."""
    known = bombs()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cells").mkdir()
        for kind, data in honest_files().items():
            path = Path(folder) / NAMES[kind]
            path.write_bytes(data)
            if kind != "profile":  # threads of the tokenizers' library do not survive a fork
                forked(partial(_read, kind, path))
        for name in names or known:
            kind, make = known[name]
            path = Path(folder) / NAMES[kind]
            forked(partial(_make, make, path))
            result = forked(partial(_read, kind, path), SECONDS)
            print(json.dumps({"name": name, "bytes": path.stat().st_size, **result}), flush=True)


def honest_files() -> dict[str, bytes]:
    """An honest file of each kind."""
    return {
        "profile": honest.zipped(honest.members()),
        "table": honest.count_table(),
        "corpus": json.dumps({"text": honest.TEXT}).encode(),
        "treebank": honest.CONLLU.encode(),
        "cell": honest.cell(),
        "configuration": json.dumps(honest.CONFIGS["markllm"]).encode(),
        "key": b"0123456789abcdef",
    }


def _make(make: Callable[[], bytes], path: Path) -> dict[str, Any]:
    return {"size": path.write_bytes(make())}


def _read(kind: str, path: Path) -> dict[str, Any]:
    try:
        TARGETS[kind](path)
    except StelaError as error:
        return {"error": str(error)[:300]}
    except BaseException as error:
        return {"raised": type(error).__name__, "traceback": traceback.format_exc()[-2000:]}
    return {}


def forked(work: Callable[[], dict[str, Any]], seconds: int | None = None) -> dict[str, Any]:
    """What the work returns, with MB beyond this process's and CPU seconds; ``killed`` if it was."""
    out, back = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        before = resource.getrusage(resource.RUSAGE_SELF)
        result = work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        result |= {"mb": (after.ru_maxrss - before.ru_maxrss) // 1024, "seconds": round(spent, 2)}
        os.write(back, json.dumps(result).encode())
        os._exit(0)
    os.close(back)
    with os.fdopen(out, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    told: dict[str, Any] = json.loads(said) if said else {"killed": status}
    return told


def rows(text: str) -> Iterator[dict[str, Any]]:
    """The lines that :func:`main` prints."""
    yield from (json.loads(line) for line in text.splitlines() if line.startswith("{"))


if __name__ == "__main__":
    main(sys.argv[1:])
