"""The commands of docs/payload.md do what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from stela_testing import run_cli

from tests.helpers import new_keys_are

PAGE = Path(__file__).parents[3] / "docs" / "payload.md"


@pytest.mark.deep(
    stand_in="plugins/stela-payload/tests/test_marks_with_messages.py::test_each_row_has_its_message"
)
@pytest.mark.slow
def test_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # Under some keys the text ends after a few tokens: one key, one text.
    new_keys_are(monkeypatch, 0x5EED)
    head = PAGE.read_text(encoding="utf-8").split("\n## ")[0]
    commands = [shlex.split(line)[1:] for line in re.findall(r"^    (stela .*)$", head, re.MULTILINE)]
    assert [command[0] for command in commands] == ["profile", "generate", "detect"]
    for command in commands:
        done = run_cli(*command)
        assert done.status == 0, done.err
    [shown] = re.findall(r"^message (\w+): wrong with probability <= ", head, re.MULTILINE)
    assert re.search(rf"^message {shown}: wrong with probability <= \S+$", done.out, re.MULTILINE)
    assert re.search(rf"^ out\.jsonl:1 +watermarked .* {shown} *$", done.out, re.MULTILINE)
