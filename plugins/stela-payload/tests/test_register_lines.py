"""A long register by the command: the entry of a text, in seconds."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

import pytest
from message_texts import KEY, text_of, watermark
from stela_testing import run_cli

LINES = 50_000
SECONDS = 4.0
"""Of CPU. A million lines take 8 s on a machine with other work; this is eight times as long a line."""


@pytest.mark.deep(
    stand_in="plugins/stela-payload/tests/test_marks_with_messages.py::test_a_million_issued_messages"
)
@pytest.mark.slow
def test_a_long_register(tmp_path: Path) -> None:
    wm = watermark("gumbel", 64)
    wm.save(tmp_path / "p.stela")
    (tmp_path / "key.txt").write_text(f"{KEY:016x}\n")
    (tmp_path / "key.txt").chmod(0o600)
    ids = text_of(wm.marker(message=0xCAFE0001), 1, 200, wm.profile.vocab_size)[0]
    (tmp_path / "t.txt").write_text(wm.tokens.decode(ids), encoding="utf-8")
    random, issued = Random(0), {0xCAFE0001}
    while len(issued) < LINES:
        issued.add(random.getrandbits(64))
    lines = (json.dumps({"message": f"{m:016x}", "for": f"order {m}"}) for m in sorted(issued))
    (tmp_path / "register.jsonl").write_text("\n".join(lines))
    options = ["--profile", tmp_path / "p.stela", "--key-file", tmp_path / "key.txt", tmp_path / "t.txt"]
    began = time.process_time()
    done = run_cli("detect", *map(str, options), "--messages", str(tmp_path / "register.jsonl"), "--json")
    taken = time.process_time() - began
    assert done.status == 0, done.err
    assert json.loads(done.out)["message"]["entry"] == {
        "message": f"{0xCAFE0001:016x}",
        "for": f"order {0xCAFE0001}",
    }
    assert taken < SECONDS
