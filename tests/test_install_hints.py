"""A hint that installs says the command that works where this core came from: a clone, wheels, an index."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import stela_core as stela
from stela_core import errors

ROOT = Path(__file__).parents[1]


def hint(command: str) -> str:
    return stela.StelaError("something is missing.", command).hint


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def in_a_clone(monkeypatch: pytest.MonkeyPatch, nowhere: Path) -> None:
    monkeypatch.setattr(errors, "CLONE", ROOT)


@pytest.mark.usefixtures("in_a_clone")
def test_in_a_clone_make_installs_into_this_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(ROOT / ".venv"))
    assert hint("pip install stela-kgw") == f'make -C {ROOT} install WITH="kgw"'
    assert hint('pip install "stela-core[generate]" stela-tiny; or write to us') == (
        f'make -C {ROOT} install WITH="core[generate] tiny"; or write to us'
    )
    monkeypatch.setattr(sys, "prefix", "/opt/my env")
    assert hint("use --data FOLDER, or pip install stela-corpora") == (
        f"use --data FOLDER, or make -C {ROOT} install WITH=\"corpora\" VENV='/opt/my env'"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("in_a_clone")
def test_make_understands_what_a_hint_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/opt/my-env")
    command = shlex.split(hint('pip install "stela-core[generate]" stela-kgw'))
    done = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, check=True)
    assert "scripts/install.py /opt/my-env --with 'core[generate] kgw'" in done.stdout


@pytest.mark.parametrize("folder", [".", "dist"])
def test_next_to_wheels_pip_looks_there(folder: str, nowhere: Path) -> None:
    (nowhere / folder).mkdir(exist_ok=True)
    assert hint("pip install stela-kgw") == "pip install stela-kgw"
    (nowhere / folder / "stela_core-0.3.0-py3-none-any.whl").touch()
    told = hint("pip install stela-kgw stela-penn; or do without")
    assert told == f"pip install --find-links {folder} stela-kgw stela-penn; or do without"
    assert hint("pip install numba") == "pip install numba"


@pytest.mark.usefixtures("nowhere")
def test_from_an_index_it_is_as_it_was_written() -> None:
    for command in (
        "pip install stela-kgw",
        'pip install "stela-core[run]"; or add --scheme NAME',
        "check the path",
    ):
        assert hint(command) == command


@pytest.mark.usefixtures("in_a_clone")
def test_others_packages_come_from_an_index() -> None:
    for command in ("pip install numba", 'pip install "spacy>=3.8,<4"', "pip install my-stela-plugin"):
        assert hint(command) == command


@pytest.mark.usefixtures("nowhere")
def test_without_pip_it_is_uv_that_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "find_spec", lambda name: None)
    assert hint("pip install stela-kgw") == "uv pip install stela-kgw"
    assert hint("uv pip install numba") == "uv pip install numba"


@pytest.mark.slow
def test_what_was_installed_in_place_knows_its_clone(tmp_path: Path) -> None:
    """By what the installer wrote down."""
    program = 'import stela_core as stela; print(stela.StelaError("", "pip install stela-kgw").hint)'
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert told.stdout.startswith(f'make -C {ROOT} install WITH="kgw"')
