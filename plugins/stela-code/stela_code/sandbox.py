"""Run a program that nobody has read: by bubblewrap, without network, files, or much time and memory."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from stela_code.system_calls import seccomp_filter
from stela_core import StelaError

MEMORY = 512 << 20
"""Bytes of address space. A program is one process, so that this and ``FOLDER`` bound all its memory."""
FOLDER = 16 << 20
"""Bytes of all files that the program writes; only ``/tmp`` can be written, and it is in memory."""
LARGEST = 1 << 20
"""Bytes of a file that the program writes, and of the program."""

INSIDE = """
import resource, sys
limits = {"CPU": %(seconds)d, "AS": %(memory)d, "FSIZE": %(file)d, "NOFILE": 64, "CORE": 0}
for name, most in limits.items():
    resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
source = sys.stdin.read()
sys.stdin.close()
exec(compile(source, "program", "exec"), {"__name__": "program"})
print("\\n%(word)s")
"""
"""What starts the program; the word at the end shows that it came there, and did not leave before. A program
that looks for the word finds it: nothing but a figure depends on that."""

READ = ("/usr", "/lib", "/lib64", "/bin")
"""Folders that Python needs, where they are there; they can be read only."""

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
"""No others: ``--dev`` would bring /dev/shm, which has no limit. There is no /proc either."""

NAMESPACES = (("--unshare-user", "--disable-userns"), ("--unshare-user",), ())
"""A user namespace, in which no other can be made. Some containers let nobody forbid further ones, and some
let only root work without one; the first that works is taken. In each the program has no capability, and
the filter of system calls refuses namespaces and mounts."""


def require_sandbox() -> str:
    """Path of bubblewrap.

    Raises:
        StelaError: it is not installed, or may not make namespaces here.
    """
    where = shutil.which("bwrap")
    if where is None:
        raise StelaError(
            "code is run by bubblewrap only, and bwrap is not on the path.",
            "install bubblewrap (Linux); code is never run without it",
        )
    _namespaces(where)
    return where


def passes(bwrap: str, source: str, seconds: float = 3.0) -> bool:
    """Whether a program runs to its end: no error, no exit before, not too long.

    Args:
        bwrap: path of bubblewrap.
        source: of the program, Python.
        seconds: that it may take; its processor time is bounded likewise.

    Raises:
        StelaError: bubblewrap cannot make a sandbox here.
    """
    if len(source) > LARGEST:
        return False
    word = secrets.token_hex(16)
    inside = INSIDE % {"seconds": int(seconds) + 1, "memory": MEMORY, "file": LARGEST, "word": word}
    # A pipe would hold whatever is printed; a file has the program's limit.
    with TemporaryFile() as said, _filter() as seccomp:
        try:
            done = subprocess.run(
                _command(bwrap, _namespaces(bwrap), seccomp, inside),
                input=source.encode("utf-8", "replace"),
                stdout=said,
                stderr=subprocess.DEVNULL,
                timeout=seconds + STARTING,
                check=False,
                pass_fds=[seccomp],
            )
        except subprocess.TimeoutExpired:  # it was killed, and all in its namespace with it
            return False
        said.seek(0)
        return done.returncode == 0 and said.read(LARGEST + 1).rstrip().endswith(word.encode())


STARTING = 2.0
"""Seconds that starting Python may take."""


@cache
def _namespaces(bwrap: str) -> tuple[str, ...]:
    """Options of the first of ``NAMESPACES`` that this machine allows.

    Raises:
        StelaError: it allows none.
    """
    reason = ""
    for options in NAMESPACES:
        with _filter() as seccomp:
            command = _command(bwrap, options, seccomp, "pass")
            tried = subprocess.run(command, capture_output=True, text=True, check=False, pass_fds=[seccomp])
        if not tried.returncode:
            return options
        reason = reason or (tried.stderr.strip() or f"status {tried.returncode}").splitlines()[-1][:200]
    raise StelaError(
        f"bubblewrap cannot run Python here: {reason}",
        "allow user namespaces (in a container: --security-opt seccomp=unconfined), and let this user read"
        f" {_prefix()}; no code is run without bubblewrap",
    )


@contextmanager
def _filter() -> Iterator[int]:
    """A file that holds the filter of system calls, at its start: its number."""
    with TemporaryFile() as file:
        file.write(seccomp_filter())
        file.seek(0)
        yield file.fileno()


def _command(bwrap: str, namespaces: tuple[str, ...], seccomp: int, inside: str) -> list[str]:
    alone = ["--unshare-all", *namespaces, "--cap-drop", "ALL", "--seccomp", str(seccomp)]
    alone += ["--die-with-parent", "--new-session", "--clearenv"]
    made = ["--size", str(FOLDER), "--tmpfs", "/tmp"]  # before Python, which may lie within
    made += [part for folder in (*READ, _prefix()) for part in ("--ro-bind-try", folder, folder)]
    made += [part for device in DEVICES for part in ("--dev-bind-try", device, device)]
    made += ["--remount-ro", "/", "--chdir", "/tmp"]
    return [bwrap, *alone, *made, _python(), "-I", "-S", "-B", "-c", inside]


def _prefix() -> str:
    """Folder of the interpreter and of its library."""
    return str(Path(sys.base_prefix).resolve())


def _python() -> str:
    """The interpreter itself, not a link of a virtual environment."""
    return str(Path(sys.executable).resolve())
