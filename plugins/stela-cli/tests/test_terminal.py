"""Words of strangers reach a terminal as escapes, wherever the command line prints them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from stela_cli import printing
from stela_cli.printing import printable_json
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.printable import printable
from stela_core.profile.create import Settings
from stela_core.registry.components import default_registry

CLIPBOARD, HOME, C1, BIDI = "\x1b]52;c;ZXZpbA==\x07", "\x1b[5;7H", "\x9b5;7H", "\u202egnp.exe"
EVIL = CLIPBOARD + HOME + C1 + BIDI
CHILD = "import json, sys; from stela_cli.main import run; [run(a) for a in json.loads(sys.argv[1])]"


def on_a_terminal(commands: list[list[str]]) -> str:
    """What a terminal gets from some commands, stdout and stderr."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps(commands)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "300"},
    )
    os.close(slave)
    found = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # the last writer has gone
            break
        if not part:
            break
        found += part
    os.close(master)
    child.wait()
    return found.decode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, tokenizer: Tokenizer) -> dict[str, str]:
    """A profile, a table, a text and a plugin with sequences in what they say and in their names."""
    folder = tmp_path_factory.mktemp("evil")
    created = Settings("kgw").create(default_registry(), tokenizer, 99, public=True).archive
    profile = created.profile.model_copy(update={"created_with": EVIL, "language": EVIL})
    type(created)(profile, created.tokenizer, None).write(folder / "p.stela")
    table = {
        "format": "stela-table/1",
        "k": 2,
        "tagger": dict.fromkeys(("name", "model", "version", "fingerprint", "tagset", "language"), EVIL),
        "tags": sorted([EVIL, "b"]),
        "corpora": [{"name": EVIL, "documents": 1, "tags": 9, "counts": {"0": [0, 2, 1, 1], "1": [0, 1]}}],
    }
    (folder / "t.json").write_text(json.dumps(table), encoding="utf-8")
    text = folder / f"{HOME}{BIDI}.txt"
    text.write_text(f"many words {EVIL} and more of them", encoding="utf-8")
    plugin = folder / "plugin.py"
    plugin.write_text(f"raise ValueError({EVIL!r})\n", encoding="utf-8")
    return {
        "profile": str(folder / "p.stela"),
        "table": str(folder / "t.json"),
        "text": str(text),
        "plugin": str(plugin),
        "none": str(folder / f"{EVIL.replace('/', '')}.stela"),
    }


@pytest.mark.slow
def test_nothing_of_a_stranger_acts_on_a_terminal(files: dict[str, str]) -> None:
    detect = ["detect", "--profile", files["profile"], files["text"]]
    seen = on_a_terminal(
        [
            ["profile", "show", files["profile"]],
            ["profile", "show", files["profile"], "--json"],
            ["lambda", "show", files["table"]],
            ["lambda", "show", files["table"], "--json"],
            [*detect, "--tokens", "--windows"],
            [*detect, "--tokens", "--json"],
            ["profile", "show", files["none"]],
            ["--plugin", files["plugin"], "plugins"],
            [f"detect{EVIL}"],
            ["detect", f"--{EVIL}"],
        ]
    )
    for raw in ("\x1b]", HOME, "\x9b", "\u202e", "\x07"):
        assert raw not in seen
    # Shown all the same, as escapes of either kind: nothing was left out.
    assert seen.count("\\x1b]52;c;") >= 7
    assert seen.count("\\u001b]52;c;") >= 2
    assert seen.count("\\u202e") >= 10
    assert "\x1b[1mformat" in seen  # colours are ours, and stay


def test_json_reads_the_same_after_escapes() -> None:
    value = {EVIL: ["한국어 \u200d \x7f \x85 \u2028 \U000e0001 😀 \n\t", EVIL]}
    text = printable_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert printable(text) == text
    assert "한국어" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_generated_text_is_bytes_as_they_are_only_in_a_pipe(
    terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    printing.print_text(f"a{BIDI}\n\tb")
    out = capsys.readouterr().out
    assert out == (f"a{printable(BIDI)}\n\tb\n" if terminal else f"a{BIDI}\n\tb\n")
    assert ("\u202e" in out) is not terminal


def test_error_messages_are_cut(tmp_path: Path) -> None:
    error = stela.StelaError("x" * 10**6)
    assert len(error.message) < 3000
