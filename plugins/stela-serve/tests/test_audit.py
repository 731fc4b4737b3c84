"""The record that ``--audit`` keeps of a running service."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from stela_serve.audit import CheckLog
from stela_testing import assert_refused, run_cli
from stela_testing.texts import ENGLISH, marked_text

import stela_core as stela

from .conftest import KEY, SECRET, Start


def test_each_check_is_a_line_without_text_and_key(
    start: Start, folders: tuple[Path, Path], tmp_path: Path
) -> None:
    marked = marked_text(stela.load(folders[0] / SECRET, key=KEY), tokens=120)
    record = tmp_path / "checks.jsonl"
    with (
        start("--workers", "1", "--max-text", "20000", "--audit", str(record)) as service,
        httpx.Client(base_url=service.url, timeout=60) as client,
    ):
        answer = client.post("/v1/detect", json={"texts": [marked, ENGLISH]}).json()["results"]
        scored = client.post("/detect", json={"text": marked, "hint": {"profile": "secret"}}).json()
        client.post("/v1/detect", json={"text": "a" * 20_001})
        client.post("/v1/detect", content=b"{", headers={"content-type": "application/json"})
        client.get("/v1/profiles")
    lines: list[dict[str, Any]] = [json.loads(line) for line in record.read_text().splitlines()]
    both, score, long, broken = lines
    assert both["characters"] == [len(marked), len(ENGLISH)]
    assert both["profile"] is None
    for told, result in zip(both["results"], answer, strict=True):
        assert told == {name: result[name] for name in ("profile", "key_id", "verdict", "p_value")}
    assert both["results"][0]["verdict"] == "watermarked"
    assert score["profile"] == SECRET
    assert score["results"] == [
        {name: scored[name] for name in ("profile", "key_id", "is_watermarked", "p_value")}
    ]
    assert long.keys() == broken.keys() == {"time", "refused"}
    assert (long["refused"], broken["refused"]) == (422, 400)
    said = record.read_text()
    assert KEY not in said
    assert marked.split()[0] not in said
    assert record.stat().st_mode & 0o077 == 0


def test_another_day_is_another_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr("time.time", lambda: now[0])
    record = CheckLog(tmp_path / "checks.jsonl")
    record.refused(None, 400)
    now[0] += 24 * 60 * 60
    record.refused(None, 413)
    today, earlier = sorted(tmp_path.iterdir())
    assert json.loads(today.read_text())["refused"] == 413
    assert json.loads(earlier.read_text())["refused"] == 400
    assert {file.stat().st_mode & 0o777 for file in (today, earlier)} == {0o600}


def test_a_file_that_cannot_be_written_is_refused_in_one_line(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    options = ("--profiles", str(folders[0]), "--port", "0", "--audit", str(tmp_path / "none" / "a.jsonl"))
    assert_refused(run_cli("serve", *options), "cannot be written: No such file or directory", "--audit")
