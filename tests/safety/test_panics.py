"""``python -m tests.safety.fuzz`` counts panics of libraries, whatever became of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from stela_core.text.tokenizer import tokenizer_errors
from tests.safety import honest
from tests.safety.fuzz import fuzz
from tests.safety.panics import panics_caught
from tests.safety.targets import TARGETS


def test_a_panic_that_became_an_error_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    content = honest.tokenizer_json()
    content["model"] |= {"continuing_subword_prefix": "##"}

    def panics(_: Path) -> None:
        with tokenizer_errors("it cannot be read", "hint"):
            Tokenizer.from_str(json.dumps(content))

    monkeypatch.setitem(TARGETS, "key", panics)
    findings = fuzz(2, seed=1, kinds=("key",))
    assert findings.outcomes == {("key", "panic"): 2}
    assert len(findings.failures) == 2
    assert "model.rs" in findings.failures[0]


def test_what_else_is_written_to_stderr_passes(capfd: pytest.CaptureFixture[str]) -> None:
    with panics_caught() as panics:
        os.write(2, b"something else\n")
        assert panics() == []
        os.write(2, b"thread '<unnamed>' panicked at src/lib.rs:1:2:\nindex out of bounds\n")
        assert panics() == ["src/lib.rs:1:2: index out of bounds"]
        assert panics() == []
    assert capfd.readouterr().err == "something else\n"
