"""``stela profile new`` asks on a terminal whether answers to one prompt may be alike."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from stela_testing import run_cli

import stela_core as stela


class Terminal(io.StringIO):
    """What a person types."""

    def isatty(self) -> bool:
        return True


def made(
    file: Path, typed: str | None, monkeypatch: pytest.MonkeyPatch, *options: str, scheme: str = "gumbel"
) -> tuple[int | None, str]:
    """The bits of the profile that was made, and what was said; ``typed`` is ``None`` without a terminal."""
    stdin = io.StringIO("y\n") if typed is None else Terminal(typed)
    monkeypatch.setattr(sys, "stdin", stdin)
    given = ("--scheme", scheme, "--model", "tiny", "--public-key", *options)
    finished = run_cli("profile", "new", *given, "-o", file, "--force")
    assert finished.status == 0
    assert finished.out.startswith(f"{file}: scheme {scheme}, key id ")
    message = stela.load(file).profile.message
    return None if message is None else message.bits, finished.err


@pytest.mark.parametrize(("typed", "bits"), [("y\n", 8), ("n\n", None), ("\n", None), ("what\ny\n", 8)])
def test_the_answer_is_taken(
    typed: str, bits: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried, said = made(tmp_path / "p.stela", typed, monkeypatch)
    assert carried == bits
    assert "May one prompt be asked many times? [y/N]" in said
    assert ("--message random" in said) is (bits is not None)


def test_nobody_is_asked_who_said_it_or_cannot_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an option, without a terminal, or where an answer changes nothing of the profile."""
    file = tmp_path / "p.stela"
    assert made(file, "y\n", monkeypatch, "--bits", "0") == (None, "")
    assert made(file, "y\n", monkeypatch, "--bits", "16") == (16, "")
    bits, said = made(file, None, monkeypatch)
    assert bits is None
    assert said.startswith(
        "note: answers to one prompt under one key share phrases. To vary them, add --bits 8"
    )
    bits, said = made(file, "y\n", monkeypatch, scheme="synthid")
    assert bits is None
    assert "[y/N]" not in said
    assert "stela key new --count 16" in said
    assert made(file, "y\n", monkeypatch, scheme="kgw") == (None, "")


def test_whoever_leaves_gets_no_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(""))
    given = ("--scheme", "gumbel", "--model", "tiny", "--public-key", "-o", tmp_path / "p.stela")
    assert run_cli("profile", "new", *given).status == 130
    assert not (tmp_path / "p.stela").exists()
