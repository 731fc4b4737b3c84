"""Run a program that nobody has read: by bubblewrap, without network, files, or much time and memory."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

from stela_core import StelaError

MEMORY = 512 << 20
"""Bytes of address space."""
LARGEST = 1 << 20
"""Bytes of a file that the program writes, and of the program."""

INSIDE = """
import resource, sys
limits = {"RLIMIT_CPU": %(seconds)d, "RLIMIT_AS": %(memory)d, "RLIMIT_FSIZE": %(file)d, "RLIMIT_NOFILE": 64}
for name, most in limits.items():
    resource.setrlimit(getattr(resource, name), (most, most))
source = sys.stdin.read()
sys.stdin.close()
exec(compile(source, "program", "exec"), {"__name__": "program"})
print("\\n%(word)s")
"""
"""What starts the program; the word at the end shows that it came there, and did not leave before. A program
that looks for the word finds it: nothing but a figure depends on that."""

READ = ("/usr", "/lib", "/lib64", "/bin")
"""Folders that Python needs, where they are there; they can be read only."""


def require_sandbox() -> str:
    """Path of bubblewrap.

    Raises:
        StelaError: it is not installed, or may not make namespaces here.
    """
    where = shutil.which("bwrap")
    hint = "install bubblewrap (Linux), and allow user namespaces; no code is run without it"
    if where is None:
        raise StelaError("code is run by bubblewrap only, and bwrap is not on the path.", hint)
    tried = subprocess.run(_command(where, "pass"), capture_output=True, text=True, check=False)
    if tried.returncode:
        reason = (tried.stderr.strip() or f"status {tried.returncode}").splitlines()[-1][:200]
        raise StelaError(f"bubblewrap cannot run Python here: {reason}", hint)
    return where


def passes(bwrap: str, source: str, seconds: float = 3.0) -> bool:
    """Whether a program runs to its end: no error, no exit before, not too long.

    Args:
        bwrap: path of bubblewrap.
        source: of the program, Python.
        seconds: that it may take; its processor time is bounded likewise.
    """
    if len(source) > LARGEST:
        return False
    word = secrets.token_hex(16)
    inside = INSIDE % {"seconds": int(seconds) + 1, "memory": MEMORY, "file": LARGEST, "word": word}
    with TemporaryFile() as said:  # a pipe would hold whatever is printed; a file has the program's limit
        try:
            done = subprocess.run(
                _command(bwrap, inside),
                input=source.encode("utf-8", "replace"),
                stdout=said,
                stderr=subprocess.DEVNULL,
                timeout=seconds + STARTING,
                check=False,
            )
        except subprocess.TimeoutExpired:  # it was killed, and all in its namespace with it
            return False
        said.seek(0)
        return done.returncode == 0 and said.read(LARGEST + 1).rstrip().endswith(word.encode())


STARTING = 2.0
"""Seconds that starting Python may take."""


def _command(bwrap: str, inside: str) -> list[str]:
    prefix = str(Path(sys.base_prefix).resolve())
    read = [part for folder in (*READ, prefix) for part in ("--ro-bind-try", folder, folder)]
    alone = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    made = ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", "/tmp"]
    return [bwrap, *alone, *read, *made, _python(), "-I", "-S", "-B", "-c", inside]


def _python() -> str:
    """The interpreter itself, not a link of a virtual environment."""
    return str(Path(sys.executable).resolve())
