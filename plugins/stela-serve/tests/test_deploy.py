"""The files of ``deploy``: the command takes their command lines, and they wait for the requests at hand."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from stela_serve.command import serve
from stela_serve.limits import Limits
from stela_serve.pool import TRIES

from .test_dockerfile import PAGE, ROOT, the

DEPLOY = ROOT / "plugins" / "stela-serve" / "deploy"
GRACE = int(TRIES * Limits().seconds + 2 * Limits().wait) + 1
"""Seconds that ``server.py`` gives the requests at hand."""


def unit() -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read(DEPLOY / "stela.service")
    return parsed


def service() -> dict[str, Any]:
    made = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    [found] = made["services"].values()
    assert isinstance(found, dict)
    return found


def parsed(arguments: list[str]) -> click.Context:
    return serve.make_context("serve", list(arguments))


def installed() -> list[str]:
    """The page's lines for systemd."""
    return re.findall(r"^sudo .*$", PAGE, re.MULTILINE)


def test_unit_starts_the_command_as_the_page_installs_it() -> None:
    program, command, *arguments = shlex.split(unit()["Service"]["ExecStart"])
    lines = installed()
    assert program == "/opt/stela/bin/stela"
    assert command == "serve"
    assert f"sudo python3 -m venv {program.removesuffix('/bin/stela')}" in lines
    with parsed(arguments) as context:
        folders = {context.params["profiles"], *context.params["key_files"]}
    assert folders == {"/etc/stela/profiles", "/etc/stela/keys"}
    [made] = [line for line in lines if line.startswith("sudo install -d ")]
    assert folders <= set(made.split())
    user = unit()["Service"]["User"]
    assert f"-o {user} " in made
    assert any(line.startswith("sudo useradd ") and line.endswith(f" {user}") for line in lines)
    [copied] = [line for line in lines if "stela.service" in line]
    assert (ROOT / copied.split()[2]) == DEPLOY / "stela.service"


def test_unit_lets_requests_at_hand_end() -> None:
    section = unit()["Service"]
    assert section["KillMode"] == "mixed"  # workers, too, would get SIGTERM
    assert int(section["TimeoutStopSec"]) > GRACE
    # What it may write lies where it may: systemd makes these folders.
    own = dict(pair.split("=", 1) for pair in section["Environment"].split())
    assert own["STELA_STATE"] == f"/var/lib/{section['StateDirectory']}"
    assert own["NUMBA_CACHE_DIR"] == f"/var/cache/{section['CacheDirectory']}"
    assert "MemoryDenyWriteExecute" not in section


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd is not at hand")
    text = (DEPLOY / "stela.service").read_text(encoding="utf-8")
    copy = tmp_path / "stela.service"
    copy.write_text(text.replace("/opt/stela/bin/stela", sys.executable), encoding="utf-8")
    done = subprocess.run([verify, "verify", "--man=no", copy], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "stela.service" not in done.stderr  # it names what it does not know, and goes on


def test_compose_starts_the_image_as_the_page_runs_it() -> None:
    own = service()
    context = (DEPLOY / own["build"]["context"]).resolve()
    assert context == ROOT
    assert context / own["build"]["dockerfile"] == DEPLOY / "Dockerfile"
    entry: list[str] = json.loads(the("ENTRYPOINT"))
    with parsed([*entry[2:], *own["command"]]) as made:
        inside = {made.params["profiles"], *made.params["key_files"]}
        port = made.params["port"]
    mounts = [mount.split(":") for mount in own["volumes"]]
    assert {target for _, target, _ in mounts} == inside
    assert {mode for _, _, mode in mounts} == {"ro"}
    assert {(DEPLOY / source).resolve() for source, _, _ in mounts} == {ROOT / "profiles", ROOT / "keys"}
    assert own["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert own["tmpfs"] == ["/tmp"]  # all that the image writes goes there: test_dockerfile.py
    assert int(own["stop_grace_period"].removesuffix("s")) > GRACE
    assert f"docker stop --time {own['stop_grace_period'].removesuffix('s')}" in PAGE


def test_variables_of_compose_are_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    own = service()
    variables = set(re.findall(r"\$\{(\w+):-", f"{own['user']} {own['environment']}"))
    assert variables == {"STELA_UID", "STELA_GID", "STELA_HOSTS"}
    assert all(name in PAGE for name in variables)
    assert "-f plugins/stela-serve/deploy/compose.yaml up" in PAGE
    monkeypatch.setenv("STELA_HOSTS", "")  # where it is not set, compose hands on nothing
    with parsed(["--profiles", "/profiles"]) as context:
        assert context.params["names"] == ()
