"""A process that tests texts: ``python -m stela_serve.worker``, messages on standard input and output.

It opens the profiles once. It imports no torch unless a profile needs a model (``own_process``), writes
nothing to standard error, where a library's last words could be those of a text, and ends with the service:
when its input ends, even while it works.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from contextlib import suppress
from typing import Any, BinaryIO

from stela_core import StelaError
from stela_core.api import contained, own_process
from stela_serve.examine import Asked, Examiner, NothingLeftError, Setup
from stela_serve.frames import FAILED, LAST, READY, REFUSED, RESULT, packed, read

LARGE = 0.5
"""Share of the memory that profiles leave which a worker may keep after an answer: else it is replaced."""


def main() -> None:
    """Serve until the input ends."""
    own_process.begin()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the service, which ends this input
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    source, out = sys.stdin.buffer, apart(sys.stdout.fileno())
    first = read(source)
    if first is None:
        return
    setup = Setup.of(json.loads(first))
    limit(setup.memory)
    threading.Thread(target=listen, args=(source, requests), daemon=True).start()
    examiner, kind, told = opened(setup)
    say(out, kind, told)
    if examiner is None:
        return
    at_first = resident()
    most = at_first + LARGE * max(0, setup.memory - at_first)
    while True:
        kind, content = answer(examiner, requests.get())
        if kind == RESULT and setup.memory and resident() > most:
            kind = LAST
        out.write(packed(kind, content))
        out.flush()
        if kind == LAST:
            return


def opened(setup: Setup) -> tuple[Examiner | None, bytes, Any]:
    """The profiles, and kind and value of what is said first; ``None`` where that is what went wrong."""
    try:
        with contained:
            examiner = Examiner(setup)
            return examiner, READY, examiner.hello()
    except StelaError as error:
        return None, FAILED, [error.message, error.hint]
    except MemoryError:
        return None, FAILED, ["the profiles do not fit into a worker's memory.", "give more with --memory"]
    except Exception as error:
        return None, FAILED, [f"a worker could not start: {type(error).__name__}.", "see stela plugins"]


def answer(examiner: Examiner, request: bytes) -> tuple[bytes, bytes]:
    """Kind and content of the answer to one request; what goes wrong is told only by its kind."""
    try:
        fields = json.loads(request)
        written = fields["written"] and tuple(fields["written"])
        asked = Asked(**{**fields, "texts": tuple(fields["texts"]), "written": written})
        with contained:
            return RESULT, json.dumps(examiner.answer(asked), allow_nan=False).encode()
    except NothingLeftError:
        return REFUSED, b"NothingLeft"
    except StelaError as error:
        # Its words may quote the text. A plugin that exits is no fault of the text.
        exits = isinstance(error.__cause__, BaseException) and not isinstance(error.__cause__, Exception)
        return REFUSED, b"PluginExit" if exits else b"StelaError"
    except MemoryError:
        return REFUSED, b"MemoryError"
    except Exception as error:
        return REFUSED, type(error).__name__.encode()


def listen(source: BinaryIO, requests: queue.SimpleQueue[bytes]) -> None:
    """Take requests in as they come; at the end of the input, end the process, whatever it is doing."""
    while (request := read(source)) is not None:
        requests.put(request)
    os._exit(0)


def apart(descriptor: int) -> BinaryIO:
    """Standard output for messages only: what a library prints goes nowhere."""
    kept = os.dup(descriptor)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    return os.fdopen(kept, "wb")


def say(out: BinaryIO, kind: bytes, value: Any) -> None:
    """Send a JSON value."""
    out.write(packed(kind, json.dumps(value).encode()))
    out.flush()


def limit(memory: int) -> None:
    """Let allocations fail beyond a number of bytes, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def resident() -> int:
    """Bytes of memory that this process holds; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


if __name__ == "__main__":
    main()
