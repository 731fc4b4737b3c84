"""The commands of docs/interop.md run as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from stela_core.cli.main import run

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "interop.md"


def test_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    [settings] = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    Path("watermark.json").write_text(settings, encoding="utf-8")
    commands = re.findall(r"^stela .*$", page, re.MULTILINE)
    assert len(commands) == 5
    said = ""
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, capsys.readouterr().err
        said += capsys.readouterr().out
    assert "watermarked" in said
