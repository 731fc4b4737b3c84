"""The page's commands, as they stand, and what it says of options, fields and limits."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import click
import httpx
import pytest
from stela_serve.command import serve
from stela_serve.limits import MEBIBYTE, Limits
from stela_serve.metrics import Metrics
from stela_serve.models import Body
from stela_serve.openapi import openapi
from stela_sign.commands import verdict_verify
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

from .conftest import Running, Start, make_demo

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")


def defaults() -> dict[str, object]:
    options = [option for option in serve.params if isinstance(option, click.Option)]
    return {option.opts[-1]: option.default for option in options}


def test_options_and_limits_of_the_page_are_the_commands() -> None:
    others = r"^(?:docker |sudo |STELA_UID=|stela profile ).*$|`docker stop [^`]*`|`--user(?:ns=[a-z-]+)?`"
    own = re.sub(others, "", PAGE, flags=re.MULTILINE)
    named = set(re.findall(r"(--[a-z][a-z-]+)", own)) - {"--json"}
    verify = {option.opts[0] for option in verdict_verify.params}
    assert named <= set(defaults()) | verify
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) >= set(defaults()) - {
        *("--profiles", "--port", "--model", "--device", "--allow-lenient", "--help", "--signing-key"),
        "--verbose",
    }
    limits = Limits()
    for words in (
        f"{limits.rate} texts",
        f"{limits.body // MEBIBYTE} MiB, {limits.characters:,} characters, {limits.texts} texts",
        f"{limits.seconds:g} for the work",
        f"{limits.wait:g} seconds for a worker",
        f"{limits.queue} requests",
        f"{limits.connections} open",
        f"{defaults()['--memory']} MiB a worker",
    ):
        assert words in PAGE, words


def test_fields_of_the_page_are_those_of_the_description() -> None:
    detect = openapi(Limits(), [])["paths"]["/v1/detect"]["post"]
    fields = Body.model_fields
    rows = "".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
    assert set(fields) <= set(re.findall(r"`(\w+)`", rows))
    assert {int(status) for status in re.findall(r"\b[45]0\d\b|\b4[1-9]\d\b", PAGE)} <= {
        *map(int, detect["responses"])
    }


@pytest.mark.deep(
    stand_in="plugins/stela-serve/tests/test_service.py::test_one_profile_says_what_the_command_says"
)
@pytest.mark.slow
def test_commands_of_the_page(running: Running) -> None:
    blocks = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))
    commands = re.findall(r"^curl .*$", blocks, re.MULTILINE)
    assert len(commands) == 5
    answers = []
    for command in commands:
        there = command.replace("http://127.0.0.1:8765", running.service.url)
        done = subprocess.run(there, shell=True, capture_output=True, text=True, check=True)
        answers.append(json.loads(done.stdout))
    every, listed, two, tokens, scored = answers
    assert len(listed["profiles"]) == 4
    assert every["results"][0]["tests"] == 4
    shown, words = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert set(json.loads(shown)["results"][0]) <= set(every["results"][0])
    assert list(json.loads(words)) == list(scored)
    assert scored["tests"] == 1
    assert [one["verdict"] for one in two["results"]] == ["insufficient text"] * 2
    assert tokens["results"][0]["tokens"][0]["start"] == 0


def test_numbers_of_the_page_are_those_for_prometheus() -> None:
    metrics = Metrics(lambda: 0, lambda: 0)
    metrics.gone.labels("end").inc()
    metrics.requests.labels("/", "200").inc()
    metrics.seconds.labels("/").observe(1)
    given = {line.split()[2] for line in metrics.text().decode().splitlines() if line.startswith("# TYPE")}
    told = set(re.findall(r"`(stela_[a-z_]+)`", PAGE))
    assert told == {name for name in given if not name.endswith("_created")}


@pytest.mark.deep(
    stand_in="plugins/stela-serve/tests/test_service.py::test_one_profile_says_what_the_command_says"
)
@pytest.mark.slow
def test_first_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its profile is made and served."""
    [block, *_] = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    install, folder, new, serving = map(shlex.split, block.splitlines())
    assert install[:2] == ["pip", "install"]
    assert all((ROOT / "plugins" / name / "pyproject.toml").exists() for name in install[2:])
    monkeypatch.chdir(tmp_path)
    Path(folder[1]).mkdir()
    done = run_cli(*new[1:])
    assert done.status == 0, done.err
    assert serving[:3] == ["stela", "serve", "--profiles"]
    assert Path(serving[3]).resolve() == Path(new[-1]).parent.resolve()
    assert serve.make_context("serve", serving[2:]).params["profiles"] == serving[3]


@pytest.mark.deep(
    stand_in="plugins/stela-serve/tests/test_service.py::test_one_profile_says_what_the_command_says"
)
@pytest.mark.slow
def test_demo_has_texts_that_are_found(tmp_path: Path) -> None:
    import stela_core as stela

    for _ in range(2):
        make_demo(tmp_path)  # the second time everything is there
    marks = stela.load_all(tmp_path / "profiles")
    assert len(marks) == 4
    marked = {file.stem: file.read_text(encoding="utf-8") for file in (tmp_path / "texts").iterdir()}
    for name, detection in zip(marked, marks.detect_many(marked.values()), strict=True):
        assert detection.watermarked == (not name.startswith("human")), (name, detection)
        assert name.startswith("human") or detection.name == f"{name}.stela"


@pytest.mark.deep(stand_in="plugins/stela-serve/tests/test_verdicts.py::test_service_signs_what_it_says")
@pytest.mark.slow
def test_signed_verdicts_of_the_page(
    running: Running, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its three commands, with a verdict of the service between them."""
    section = PAGE.partition("## Signed verdicts")[2]
    key, serving, verify = (
        shlex.split(line.split("#")[0])[1:] for line in re.findall("^stela .*$", section, re.M)
    )
    monkeypatch.chdir(tmp_path)
    Path("profiles").symlink_to(running.profiles)
    Path("text.txt").write_text(ENGLISH, encoding="utf-8")
    [public] = re.findall("public key: (ed25519:[A-Za-z0-9_-]+)", run_cli(*key).out)
    assert serving[0] == "serve"
    with start("--workers", "1", *serving[3:]) as service:
        fields = {"text": ENGLISH, "sign": True}
        answer = httpx.post(f"{service.url}/v1/detect", json=fields, timeout=60).json()
    Path("verdict.json").write_text(json.dumps(answer["signed"][0]))
    done = run_cli(*[public if word == "PUBLIC-KEY" else word for word in verify])
    assert done.status == 0, done.err
