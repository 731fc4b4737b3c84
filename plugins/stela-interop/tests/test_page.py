"""The commands of docs/interop.md run as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from stela_testing import run_cli

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"


def test_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [settings] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    Path("watermark.json").write_text(settings, encoding="utf-8")
    commands = re.findall(r"^stela .*$", page, re.MULTILINE)
    assert len(commands) == 5
    done = [run_cli(*shlex.split(command)[1:]) for command in commands]
    assert [each.status for each in done] == [0] * 5, done
    assert any("watermarked" in each.out for each in done)
