"""Ctrl-C in the middle of a build with worker processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PLUGIN = Path(__file__).parents[3] / "tests" / "slow_tagger.py"


def test_ctrl_c_leaves_no_file_and_no_process(tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    line = json.dumps({"text": "a b c d e " * 1_000}) + "\n"
    corpus.write_text(line * 2_000, encoding="utf-8")  # 40 s of work for the slow tagger
    table = tmp_path / "t.json"
    options = ["--corpus", corpus, "--k", "2", "-o", table, "--workers", "2"]
    build = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "stela_cli",
            "--plugin",
            PLUGIN,
            "lambda",
            "build",
            "--tagger",
            "slow",
            *options,
        ],
        env={**os.environ, "STELA_TEST_FOLDER": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a process group of its own, as a terminal gives a command
        # ... and listens to Ctrl-C, which the tests may ignore where they run in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 60
    while len(list(tmp_path.glob("*.started"))) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    workers = [int(file.stem) for file in tmp_path.glob("*.started")]
    assert len(workers) == 2
    os.killpg(build.pid, signal.SIGINT)
    out, err = build.communicate(timeout=30)
    assert build.returncode == 130
    assert (out, err.strip()) == ("", "stopped")
    assert [file.name for file in tmp_path.iterdir() if file.suffix not in (".started", ".jsonl")] == []
    until = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
