"""The Dockerfile, read: it copies what there is, installs all that it needs, and its health check works."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner
from stela_serve.command import serve
from stela_serve.started import started
from stela_testing.texts import ENGLISH

from .conftest import KEY, SECRET, Running

ROOT = Path(__file__).parents[3]
DOCKERFILE = ROOT / "plugins" / "stela-serve" / "deploy" / "Dockerfile"
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    """Name and rest of each, lines that go on put together."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line and not line.startswith("#")]
    whole = "\n".join(lines).replace("\\\n", " ")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in whole.splitlines())]


def the(name: str) -> str:
    [rest] = [rest for one, rest in instructions() if one == name]
    return rest


def environment() -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in shlex.split(the("ENV")))


def health() -> list[str]:
    """The command of the health check."""
    command = the("HEALTHCHECK").partition("CMD ")[2]
    words: list[str] = json.loads(command)
    assert words[0] == "python"
    return [sys.executable, *words[1:]]


def test_copies_what_there_is() -> None:
    for name, rest in instructions():
        if name == "COPY":
            *sources, target = rest.split()
            assert target.startswith("/source/")
            assert all((ROOT / source).exists() for source in sources), rest


def projects() -> dict[str, dict[str, Any]]:
    """What each distribution says of itself, by name."""
    files = [
        ROOT / "pyproject.toml",
        ROOT / "bundle" / "pyproject.toml",
        *ROOT.glob("plugins/*/pyproject.toml"),
    ]
    read = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in files]
    return {project["name"]: project for project in read}


def test_installs_all_that_it_needs_of_the_project() -> None:
    """What is not among the wheels, pip would look for elsewhere."""
    [built] = re.findall(r"build_wheels dist (.*?) +&&", the("RUN"))
    [installed] = re.findall(r"pip install .*? -c constraints.txt --find-links dist (.*?) +&&", the("RUN"))
    assert built.split() == installed.split()
    known, names, waiting = projects(), set[str](), built.split()
    while waiting:
        name = waiting.pop()
        assert name in known
        needed = {re.split(r"[^\w-]", one)[0] for one in known[name]["dependencies"]}
        waiting += {each for each in needed if each.startswith("stela-")} - names
        names.add(name)
    assert {"stela-core", "stela-serve", "stela-kgw", "stela-synthid", "stela-learned"} <= names
    copied = {source for one, rest in instructions() if one == "COPY" for source in rest.split()[:-1]}
    assert {"pyproject.toml", "stela_core", "bundle", "plugins", "scripts", "constraints.txt"} <= copied


@pytest.mark.deep(stand_in="plugins/stela-serve/tests/test_dockerfile.py::test_entry_is_the_command")
@pytest.mark.slow
def test_its_commands_install_a_service_without_torch(tmp_path: Path) -> None:
    """In an empty environment, with a folder in place of the image's; no user is added."""
    source, image = tmp_path / "source", tmp_path / "image"
    left_out = shutil.ignore_patterns("node_modules", "__pycache__", "*.egg-info", "tests", "dist", "build")
    for name, rest in instructions():
        if name == "COPY":
            *sources, target = rest.split()
            for each in sources:
                to = tmp_path / target.strip("/") / (each if target.endswith("/") else "")
                to.parent.mkdir(parents=True, exist_ok=True)
                if (ROOT / each).is_dir():
                    shutil.copytree(ROOT / each, to, ignore=left_out)
                else:
                    shutil.copy(ROOT / each, to)
    subprocess.run([sys.executable, "-m", "venv", image], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STELA"))}
    kept["PATH"] = f"{image / 'bin'}{os.pathsep}{kept['PATH']}"
    command = the("RUN").replace("/source", str(source))
    assert command.endswith(" && useradd --system stela")
    command = command.removesuffix(" && useradd --system stela")
    done = subprocess.run(["bash", "-c", command], env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not source.exists()
    entry: list[str] = json.loads(the("ENTRYPOINT"))
    helped = subprocess.run([*entry[:2], "--help"], env=kept, capture_output=True, text=True, check=True)
    assert "--profiles" in helped.stdout
    heavy = "from importlib.util import find_spec; print(*filter(find_spec, ('torch', 'transformers')))"
    assert subprocess.run([image / "bin" / "python", "-c", heavy], capture_output=True).stdout.strip() == b""


def test_entry_is_the_command() -> None:
    command: list[str] = json.loads(the("ENTRYPOINT"))
    assert command[:2] == ["stela", "serve"]
    with serve.make_context("serve", [*command[2:], "--key-file", "/keys"]) as context:
        assert context.params["host"] == "0.0.0.0"
        assert str(context.params["port"]) == the("EXPOSE")
        assert context.params["profiles"] == "/profiles"
    assert f":{the('EXPOSE')}/healthz" in health()[2]
    assert CliRunner().invoke(serve, ["--help"]).exit_code == 0


def test_page_runs_it_as_the_owner_of_the_keys() -> None:
    section = PAGE.partition("## In a container")[2].partition("\n## ")[0]
    build, run = re.findall(r"^docker (?:build|run) .*$", section, re.MULTILINE)
    words = shlex.split(run)
    assert shlex.split(build)[1:] == [
        "build",
        "-f",
        "plugins/stela-serve/deploy/Dockerfile",
        "-t",
        "stela-serve",
        ".",
    ]
    assert words[words.index("--user") + 1] == "$(id -u):$(id -g)"
    mounts = [words[n + 1].split(":") for n, word in enumerate(words) if word == "-v"]
    assert {inside for _, inside, _ in mounts} == {"/profiles", "/keys"}
    assert {mode for _, _, mode in mounts} == {"ro"}
    assert words[-3:] == ["stela-serve", "--key-file", "/keys"]
    # Nothing that an arbitrary user writes goes where only the image's own may.
    assert all(value.startswith("/tmp") for value in environment().values())
    assert set(environment()) == {"HOME", "NUMBA_CACHE_DIR", "STELA_STATE"}


@pytest.mark.slow
def test_health_check_tells_a_service_from_none(running: Running) -> None:
    running.await_workers()
    port = running.service.url.rpartition(":")[2]
    command = health()
    for there, status in ((port, 0), ("1", 1)):
        asked = [word.replace(f":{the('EXPOSE')}/", f":{there}/") for word in command]
        assert subprocess.run(asked, capture_output=True, timeout=60).returncode == status


@pytest.mark.slow
def test_reads_a_key_of_mode_600_in_the_images_environment(running: Running, tmp_path: Path) -> None:
    """Home, state and compiled code where the image has them; the key as ``stela key new`` leaves it."""
    profiles, keys = tmp_path / "profiles", tmp_path / "keys"
    profiles.mkdir()
    keys.mkdir(mode=0o700)
    (profiles / SECRET).write_bytes((running.profiles / SECRET).read_bytes())
    (keys / "secret.txt").write_text(KEY)
    (keys / "secret.txt").chmod(0o600)
    own = {name: value.replace("/tmp", str(tmp_path)) for name, value in environment().items()}
    command: list[str] = json.loads(the("ENTRYPOINT"))[2:]
    options = [str(profiles) if word == "/profiles" else word for word in command]
    options += ["--port", "0", "--key-file", str(keys), "--workers", "1", "--rate", "0"]
    with started(tmp_path, *options, environment=own) as service:
        url = service.url.replace("0.0.0.0", "localhost")
        answer = httpx.post(f"{url}/v1/detect", json={"text": ENGLISH}, timeout=60)
    assert answer.json()["results"][0]["z"] == running.results(text=ENGLISH, profile=SECRET)[0]["z"]
    assert "others" not in service.log.read_text()  # of a key that others can read it says so
