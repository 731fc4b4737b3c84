"""The code of docs/hashing.md prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "hashing.md"


def test_code_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    [(code, shown)] = re.findall(
        r"```python\n(.*?)```\n+```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    exec(code, {})
    assert capsys.readouterr().out == shown
