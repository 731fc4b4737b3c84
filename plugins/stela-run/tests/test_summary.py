"""The summary on the terminal."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from stela_run.summary import print_summary

from .report.helpers import made_up, record, value

LABELS = ("word-length-in-Korean", "learned-text")


def test_names_are_whole_at_80_columns(tmp_path: Path) -> None:
    names = ("tpr@0.01:human", "auc:human", "bias", "perplexity")
    values = {name: value(0.912, 0.88, 0.941) for name in names}
    made_up(tmp_path / "r", [record(label, values=values) for label in LABELS])
    out = io.StringIO()
    print_summary(Console(file=out, width=80), tmp_path / "r")
    assert all(label in out.getvalue() for label in LABELS)
    assert "…" not in out.getvalue()
