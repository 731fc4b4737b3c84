"""Pipes without a writer, closed standard input, full disks: one line at once, and nothing half done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from stela_testing import assert_refused, run_cli

from stela_core.errors import StelaError
from stela_core.files.bounded import open_to_read, read_bounded
from stela_core.files.write import write_secret

resource = pytest.importorskip("resource")

TEXT = "The history of the city is long, and its people read many books in the old library."


def stela(*words: object, before: str = "", shell: str = "") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which may wait for nobody.

    Args:
        words: of the command.
        before: Python that runs in the process first.
        shell: what a shell adds to the command, such as ``<&-``.
    """
    program = f"import sys\n{before}\nfrom stela_cli.main import run\nsys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *map(str, words)]
    if shell:
        command = ["bash", "-c", f'"$@" {shell}', "bash", *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1, done.stderr
    for part in parts:
        assert part in lines[0]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    import stela_core

    path = tmp_path / "p.stela"
    stela_core.create("kgw", model="tiny", key="public").save(path)
    return path


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def test_a_pipe_that_nobody_writes_to_is_refused_at_once(pipe: Path, tmp_path: Path) -> None:
    with pytest.raises(StelaError, match="the thing cannot be read: it is a named pipe"):
        read_bounded(pipe, 10, "the thing", "")
    for other, error in ((tmp_path, IsADirectoryError), (tmp_path / "none", FileNotFoundError)):
        before = len(os.listdir("/dev/fd"))
        with pytest.raises(error):
            open_to_read(other)
        assert len(os.listdir("/dev/fd")) == before


def test_what_a_shell_makes_of_a_command_is_read(tmp_path: Path) -> None:
    """``--key-file <(pass show key)``: the shell opened it, and it ends."""
    reading, writing = os.pipe()
    os.write(writing, b"0123")
    os.close(writing)
    try:
        assert read_bounded(f"/dev/fd/{reading}", 10, "it", "") == b"0123"
    finally:
        os.close(reading)


@pytest.mark.deep(stand_in="test_closed_standard_input_is_one_line")
@pytest.mark.slow
def test_commands_wait_for_no_pipe(pipe: Path, profile: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out.stela"
    text.write_text(TEXT)
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "-o", out)
    for words in (
        ("detect", "--profile", pipe, text),
        ("detect", "--profile", profile, "--key-file", pipe, text),
        ("detect", "--profile", profile, pipe),
        ("profile", "show", pipe),
        ("profile", "trust", pipe),
        ("profile", "verify", pipe),
        ("verdict", "verify", pipe),
        ("lambda", "show", pipe),
        (*new, "--key-file", pipe),
        (*new, "--public-key", "--check-null", pipe),
        ("generate", "--profile", profile, "--model", "tiny", "--prompts", pipe),
    ):
        refused(stela(*words), "it is a named pipe")
    assert not out.exists()


@pytest.mark.slow
def test_closed_standard_input_is_one_line(profile: Path) -> None:
    closed = "standard input is closed"
    refused(stela("detect", "--profile", profile, "-", shell="<&-"), closed)
    prompts = ("generate", "--profile", profile, "--model", "tiny", "--prompts", "-")
    refused(stela(*prompts, shell="<&-"), closed)
    assert stela("profile", "show", profile, shell="<&-").returncode == 0


FULL = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\nsys.dont_write_bytecode = True"
"""No file of this process may grow: what a full disk says to it, but for the error's number."""


@pytest.mark.deep(keep=["new"])
@pytest.mark.slow
@pytest.mark.parametrize("command", ["new", "signing"])
def test_a_key_is_written_whole_or_not_at_all(tmp_path: Path, command: str) -> None:
    out = tmp_path / "key"
    refused(stela("key", command, "-o", out, before=FULL), "cannot be written: File too large")
    assert list(tmp_path.iterdir()) == []
    done = run_cli("key", command, "-o", out)
    assert done.status == 0, done.err
    assert out.stat().st_mode & 0o777 == 0o600
    held = out.read_bytes()
    assert_refused(run_cli("key", command, "-o", out), "exists")
    assert out.read_bytes() == held
    assert list(tmp_path.iterdir()) == [out]


def test_a_secret_replaces_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    for path, said in ((link, "exists"), (tmp_path / "no" / "key", "No such file"), ("a\0b", "null")):
        with pytest.raises(StelaError, match=said):
            write_secret(path, b"secret", "key file", "")
    assert list(tmp_path.iterdir()) == [link]
