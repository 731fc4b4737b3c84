"""What is shipped: every wheel carries its licence and its notice, and declares what its data demand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

import stela_core as stela
from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
FOLDERS = [ROOT, ROOT / "bundle", *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))]
NAMES = {
    "Apache License, Version 2.0": "Apache-2.0",
    "CC BY-SA 4.0": "CC-BY-SA-4.0",
    "CC BY-SA 3.0": "CC-BY-SA-3.0",
    "CC BY 4.0": "CC-BY-4.0",
    "CC0 1.0": "CC0-1.0",
    "KOGL Type 1": "LicenseRef-KOGL-Type-1",
    "Unlicense": "Unlicense",
    "MIT": "MIT",
    "PSF License 2": "PSF-2.0",
    "Unicode License v3": "Unicode-3.0",
    "the WordNet licence": "LicenseRef-WordNet-3.0",
}
SPDX = {*NAMES.values(), "BSD-2-Clause", "LGPLLR", "MPL-2.0", "LicenseRef-public-domain"}
"""Licences as a NOTICE names them, and in SPDX, as a NOTICE of ``stela language new`` does."""

# A run in another order or on fewer threads finds nothing new.
pytestmark = [
    pytest.mark.deep(stand_in="tests/test_distributions.py::test_metadata"),
    pytest.mark.slow,
    pytest.mark.once,
]

CODE = (".py", ".pyi", "/py.typed")
"""Ends of files that are not data."""

OWN = ("/published.json",)
"""Data that are written from this project's own code."""


class Wheel(NamedTuple):
    metadata: Message
    files: dict[str, bytes]
    """Licence files by name."""
    data: list[str]
    """Packaged files that are not code."""


def project(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """All distributions, as a release has them, and the template."""
    out = tmp_path_factory.mktemp("wheels")
    script("build_wheels", out, *FOLDERS)
    return sorted(out.glob("*.whl"))


def script(name: str, *arguments: Path | str) -> str:
    """What a script of the workshop prints."""
    command = [sys.executable, "-m", f"scripts.{name}", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


@pytest.fixture(scope="module")
def wheels(built: list[Path]) -> dict[str, Wheel]:
    return {wheel.metadata["Name"]: wheel for wheel in map(read, built)}


def read(path: Path) -> Wheel:
    with ZipFile(path) as archive:
        names = archive.namelist()
        info = next(name.split("/")[0] for name in names if name.endswith(".dist-info/METADATA"))
        licences = f"{info}/licenses/"
        return Wheel(
            Parser().parsestr(archive.read(f"{info}/METADATA").decode()),
            {name.removeprefix(licences): archive.read(name) for name in names if name.startswith(licences)},
            [name for name in names if not name.startswith(info) and not name.endswith(CODE)],
        )


def test_a_release_of_them_is_whole(built: list[Path], tmp_path: Path) -> None:
    """What ``make release`` checks before it installs them; a file that is missing or altered is told."""
    for file in built[0].parent.glob("stela_*"):
        if not file.name.startswith("stela_template"):
            (tmp_path / file.name).symlink_to(file)
    assert "names, versions, licences and sizes are right" in script("release", "--check", tmp_path)
    wheel = next(tmp_path.glob("stela_kgw-*.whl"))
    wheel.unlink()
    with ZipFile(wheel, "w") as altered:
        altered.writestr(
            "stela_kgw-0.dist-info/METADATA", "Name: stela-kgw\nVersion: 0\nRequires-Dist: stela-x\n"
        )
    next(tmp_path.glob("stela_tr-*.tar.gz")).unlink()
    (tmp_path / "stela_old-0.1.0.tar.gz").touch()
    command = [sys.executable, "-m", "scripts.release", "--check", tmp_path]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    for told in (
        "stela_old-0.1.0.tar.gz does not belong to this release",
        "-py3-none-any.whl says 0, None",
        "-py3-none-any.whl lacks LICENSE",
        "-py3-none-any.whl lacks NOTICE",
        "-py3-none-any.whl asks for stela-x, which is not released",
    ):
        assert told in refused.stderr
    assert re.search(r"stela_tr-[\d.]+tar.gz is missing", refused.stderr)


@for_each("folder", FOLDERS)
def test_licence_and_notice(wheels: dict[str, Wheel], folder: Path) -> None:
    wheel = wheels[str(project(folder)["name"])]
    # This licence of data asks to go along with what is made from them.
    own = {"LICENSE.LGPLLR"} if b"LGPLLR" in wheel.files["NOTICE"] else set()
    assert (
        set(wheel.files) == set(wheel.metadata.get_all("License-File") or ()) == {"LICENSE", "NOTICE"} | own
    )
    assert wheel.files["LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert wheel.files["NOTICE"] == (folder / "NOTICE").read_bytes()


@for_each("folder", FOLDERS)
def test_declares_what_its_notice_names(wheels: dict[str, Wheel], folder: Path) -> None:
    wheel = wheels[str(project(folder)["name"])]
    notice = wheel.files["NOTICE"].decode()
    names = NAMES | {spdx: spdx for spdx in SPDX}
    words = ((rf"(?<![\w-]){re.escape(name)}(?!\w)", spdx) for name, spdx in names.items())
    named = {spdx for pattern, spdx in words if re.search(pattern, notice)}
    declared = wheel.metadata["License-Expression"].split(" AND ")
    assert len(declared) == len(set(declared))
    assert set(declared) == named
    assert declared[0] == "Apache-2.0"


@for_each("folder", FOLDERS)
def test_notice_tells_where_the_data_are_from(wheels: dict[str, Wheel], folder: Path) -> None:
    """A model or a table that is added later has to be named."""
    wheel = wheels[str(project(folder)["name"])]
    notice = wheel.files["NOTICE"].decode()
    data = [name for name in wheel.data if not name.endswith(OWN)]
    places = {"/".join(name.split("/")[:2]) for name in data}
    assert [place for place in sorted(places) if place not in notice] == []


@pytest.mark.parametrize(
    ("name", "expression"),
    [
        ("stela-core", "Apache-2.0"),
        ("stela-detection", "Apache-2.0 AND Unicode-3.0"),
        ("stela-kgw", "Apache-2.0"),
        ("stela-corpora", "Apache-2.0 AND PSF-2.0"),
        ("stela-spacy", "Apache-2.0"),
        ("stela-penn", "Apache-2.0 AND CC-BY-SA-4.0 AND CC-BY-SA-3.0 AND CC-BY-4.0"),
        ("stela-sejong", "Apache-2.0 AND CC-BY-SA-3.0 AND LicenseRef-KOGL-Type-1"),
    ],
)
def test_expression(wheels: dict[str, Wheel], name: str, expression: str) -> None:
    assert wheels[name].metadata["License-Expression"] == expression


CASES = (("learned-text", None, "en"), ("stela", "penn", "en"), ("stela", "sejong", "ko"))
"""Scheme, tagger and language."""

HUMAN = (
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and "
    "conscience and should act towards one another in a spirit of brotherhood."
)

DETECTION = """
import importlib.util, sys
sys.path[:0] = sys.argv[1:-2]
sys.modules.update(dict.fromkeys(("torch", "transformers", "numba")))
import stela_core
assert stela_core.__file__.startswith(sys.argv[1]), stela_core.__file__
from stela_cli.main import run
assert importlib.util.find_spec("stela_tiny") is None
sys.exit(run(["detect", "--profile", *sys.argv[-2:]]))
"""
"""In a Python without its own installed packages: the wheels', and third-party ones of this environment."""


def test_light_wheels_find_a_mark_without_torch(
    built: list[Path], registry: stela.Registry, tmp_path: Path
) -> None:
    """What they are made of is all that detection needs; ``make wheels`` does it with an index, too."""
    light = script("light_install", built[0].parent, "--list").split()
    assert 0 < len(light) < len(built)
    home = tmp_path / "installed"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(home),
    ]
    subprocess.run([*pip, *light], check=True, capture_output=True)
    third_party = {str(Path(distribution(name).locate_file("")).resolve()) for name in ("numpy", "click")}
    for number, (scheme, tagger, language) in enumerate(CASES):
        folder = tmp_path / str(number)
        folder.mkdir()
        wm = stela.create(
            scheme,
            model="tiny",
            key="public",
            tagger=tagger,
            language=language,
            registry=registry,
        )
        wm.save(folder / "p.stela")
        human = folder / "human.txt"
        human.write_text(HUMAN, encoding="utf-8")
        command = [sys.executable, "-S", "-c", DETECTION, str(home), *sorted(third_party)]
        done = subprocess.run(
            [*command, str(folder / "p.stela"), str(human)],
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "no watermark found" in done.stdout, done.stdout + done.stderr
