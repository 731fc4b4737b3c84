"""What vLLM itself answered (data/vllm) is found as it came, and as docs/serving.md says."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from stela_cli.documents.reader import Text
from stela_cli.main import run

import stela_core as stela
from tests.helpers import new_keys_are

from .helpers import NOTES, read

DATA = Path(__file__).parent / "data" / "vllm"
PAGE = Path(__file__).parents[3] / "docs" / "serving.md"
KEY = 0xD32F829D870D682A
SOURCES = [
    "chat.json choices[0]",
    "chat.json choices[1]",
    "chat.sse:1 choices[0]",
    "completion.json choices[0]",
    "completion.json choices[1]",
    "responses.json output[0]",
    "responses.sse:2 output[0]",
]


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    new_keys_are(monkeypatch, KEY)
    made = tmp_path / "p.stela"
    new = ["profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", str(made)]
    assert run(new) == 0
    return made


def test_each_form_is_found_with_no_option(profile: Path) -> None:
    (profile.parent / "answers").mkdir()
    for file in DATA.glob("*.[js]s*"):
        shutil.copy(file, profile.parent / "answers")
    found = read(profile.parent / "answers")
    assert [one.source for one in found if isinstance(one, Text)] == [
        f"{profile.parent}/answers/{source}" for source in SOURCES
    ]
    assert NOTES == []
    mark = stela.load(profile)
    for one in found:
        assert isinstance(one, Text)
        assert mark.detect(one.text).p_value < 1e-8


def test_example_of_the_page(
    profile: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its commands but those of the server, on the server's answer; the output is the one shown."""
    section = PAGE.read_text(encoding="utf-8").split("## vLLM: from a server to a verdict")[1]
    server, client, shown = re.findall(r"```\n(.*?)```", section, re.DOTALL)[:3]
    [made], [detect] = (re.findall(r"^stela .*$", commands, re.MULTILINE) for commands in (server, client))
    assert "vllm serve" in server
    asked = shlex.split(client.replace("\\\n", " ").splitlines()[0])
    body = json.loads(asked[asked.index("-d") + 1])
    assert asked[asked.index("-o") + 1] == "answer.json"
    assert f"--served-model-name {body['model']} " in server
    assert body["n"] == len(json.loads((DATA / "completion.json").read_text(encoding="utf-8"))["choices"])
    folder = profile.parent / "page"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert run(shlex.split(made)[1:]) == 0
    shutil.copy(DATA / "completion.json", "answer.json")
    capsys.readouterr()
    assert run(shlex.split(detect)[1:]) == 0
    out = capsys.readouterr().out
    assert [line.rstrip() for line in out.splitlines()] == [line.rstrip() for line in shown.splitlines()]
