"""The commands of docs/profile.md in order: a profile is shown, changes its key, publishes the old one."""

from __future__ import annotations

import re
import shlex
from datetime import date
from pathlib import Path

import pytest
from stela_sign.rotation import commands
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.profile import epochs

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[4] / "docs" / "profile.md").read_text(encoding="utf-8")


def test_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text(ENGLISH, encoding="utf-8")
    now = [date(2026, 11, 20)]
    monkeypatch.setattr(epochs, "today", lambda: now[0])
    monkeypatch.setattr(commands, "today", lambda: now[0])
    told = {}
    for line in re.findall(r"^stela .*$", PAGE, re.MULTILINE):
        words = shlex.split(line)[1:]
        if "publish" in words:
            now[0] = date(2026, 12, 15)
        done = run_cli(*words)
        assert done.status == 0, (line, done.err)
        told[" ".join(words[:2])] = done.out + done.err
    assert len(told) == 6
    [shown] = [block for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if "stela-profile/1" in block]
    names = [line[:13] for line in shown.splitlines()]
    assert [line[:13] for line in told["profile show"].splitlines()] == names
    first, second = stela.load("P.stela").profile.hasher.keys
    assert (first.since, first.until) == (date(2026, 12, 1), date(2027, 3, 1))
    assert first.key is None
    assert second.key is not None
    assert second.published == now[0]
