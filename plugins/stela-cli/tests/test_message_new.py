"""``stela message new``: messages that are issued once, whoever asks at the same time."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from stela_testing import assert_refused

import stela_core as stela
from tests.commands import Stela

ISSUE = """
import sys
from stela_payload.register import issue
print("ready", flush=True)
print(issue(sys.argv[1], 7, {"for": "a"}))
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    stela.create("gumbel", model="tiny", bits=2, key="public").save(tmp_path / "p.stela")
    return tmp_path / "p.stela"


def test_each_message_is_issued_once(stela_: Stela, profile: Path, tmp_path: Path) -> None:
    register = tmp_path / "issued.jsonl"
    common = ("message", "new", "--profile", profile, "--register", register, "--for")
    printed = [stela_(*common, f"채팅 {n}\n").out for n in range(2)]
    register.write_bytes(register.read_bytes().removesuffix(b"\n"))  # as an editor may leave it
    printed += [stela_(*common, f"채팅 {n}\n", "--issuer", "shop").out for n in range(2, 4)]
    assert sorted(printed) == ["0\n", "1\n", "2\n", "3\n"]
    entries = [json.loads(line) for line in register.read_text(encoding="utf-8").splitlines()]
    assert [entry["message"] for entry in entries] == [message.strip() for message in printed]
    assert [entry["for"] for entry in entries] == [f"채팅 {n}\n" for n in range(4)]
    assert [entry.get("issuer") for entry in entries] == [None, None, "shop", "shop"]
    for entry in entries:
        assert timedelta(0) <= datetime.now(UTC) - datetime.fromisoformat(entry["at"]) < timedelta(minutes=5)
    assert register.stat().st_mode & 0o777 == 0o600
    assert_refused(stela_(*common, "one more"), "all 4 messages of 2 bits are issued")
    assert len(register.read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.slow
def test_one_at_a_time(tmp_path: Path) -> None:
    """Whoever finds the register in use waits, and draws none of the messages that were issued meanwhile."""
    register = tmp_path / "issued.jsonl"
    with register.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        worker = subprocess.Popen(
            [sys.executable, "-c", ISSUE, register],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(timeout=0.5)
        file.write(b"".join(b'{"message": "%02x"}\n' % n for n in range(128) if n != 77))
    printed, _ = worker.communicate(timeout=60)
    assert printed == f"{77:02x}\n"
    assert register.read_bytes().count(b"\n") == 128


def test_what_is_refused(stela_: Stela, profile: Path, profiles: dict[str, Path], tmp_path: Path) -> None:
    def new(register: object, *more: object, of: Path = profile) -> None:
        assert_refused(
            stela_("message", "new", "--profile", of, "--register", tmp_path / str(register), *more[:-1]),
            str(more[-1]),
        )

    (tmp_path / "bad.jsonl").write_text('{"message": "1"}\n{"message": "f"}\n')
    new("bad.jsonl", "--for", "a", "bad.jsonl:2: message f is not one of 2 bits.")
    assert (tmp_path / "bad.jsonl").read_text().count("\n") == 2
    new("none/issued.jsonl", "--for", "a", 'none/issued.jsonl": No such file')
    new("issued.jsonl", "--for", " ", "--for is empty.")
    new("issued.jsonl", "--for", "a", "--issuer", "", "--issuer is empty.")
    new("issued.jsonl", "--for", "a" * 70_000, "more than 64 KiB")
    new("issued.jsonl", "--for", "\udc80", "--for is not well-formed unicode")
    new("issued.jsonl", "--for", "a", "this profile's marks carry no message.", of=profiles["kgw"])
