"""Make a release and try it: ``make release``. Nothing is uploaded; that is .github/workflows/release.yml's.

    python -m scripts.release [dist] [--pythons "3.11 3.12 3.13"] [--built | --check]

Builds all distributions, checks what an index would refuse and what a user would miss, installs
``stela-watermark`` from the folder into empty environments, runs the README there, and writes the notes of
the release from the fragments in ``changes/``. ``--built`` takes what lies in the folder, and ``--check``
only checks that. Needs requirements-release.txt.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

from scripts import build_wheels
from scripts.install import ROOT, as_options, settings_of_pip
from scripts.version import versions

PYTHONS = "3.11 3.12 3.13"
LIMIT = 60_000_000
"""Bytes of a file; an index takes 100 MB."""
LICENCES = ("LICENSE", "NOTICE")
BUNDLE = "stela-watermark"


def expected() -> set[str]:
    """File names of a release: a wheel and a source distribution of each."""
    files: set[str] = set()
    for folder in build_wheels.released():
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        stem = f"{project['name'].replace('-', '_')}-{project['version']}"
        files |= {f"{stem}-py3-none-any.whl", f"{stem}.tar.gz"}
    return files


def contents(path: Path) -> tuple[Message, list[str]]:
    """Metadata and names of a wheel's or source distribution's files."""
    if path.suffix == ".whl":
        with ZipFile(path) as archive:
            names = archive.namelist()
            text = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA")))
    else:
        with tarfile.open(path) as source:
            names = source.getnames()
            member = source.extractfile(f"{path.name.removesuffix('.tar.gz')}/PKG-INFO")
            text = member.read() if member else b""
    return Parser().parsestr(text.decode()), names


def problems(folder: Path) -> list[str]:
    """What is wrong with a folder's distributions, a line each; without what ``twine check`` says."""
    [version] = set(versions().values())
    there = {path.name for path in folder.glob("stela_*")}
    told = [f"{name} is missing" for name in sorted(expected() - there)]
    told += [f"{name} does not belong to this release" for name in sorted(there - expected())]
    for path in sorted(folder / name for name in there & expected()):
        metadata, names = contents(path)
        if path.stat().st_size > LIMIT:
            told.append(f"{path.name} has {path.stat().st_size / 1e6:.0f} MB of at most {LIMIT / 1e6:.0f}")
        if metadata["Version"] != version or not metadata["License-Expression"]:
            told.append(f"{path.name} says {metadata['Version']}, {metadata['License-Expression']}")
        held = {Path(name).name for name in names}
        told += [f"{path.name} lacks {name}" for name in LICENCES if name not in held]
        asked = metadata.get_all("Requires-Dist") or []
        told += [f"{path.name} asks for a file: {one}" for one in asked if " @ " in one]
        ours = [one for one in asked if one.startswith("stela-")]
        unknown = {name for one in ours if (name := re.split(r"[\[<>= ;]", one)[0]) not in versions()}
        told += [f"{path.name} asks for {name}, which is not released" for name in sorted(unknown)]
    return told


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """A command's output.

    Raises:
        SystemExit: it failed; with what it said.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "STELA", "VIRTUAL"))
    }
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=kept)
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path, python: str, wanted: str, out: Path, *options: str) -> Path:
    """A new environment with a requirement from a folder of wheels; its folder of programs."""
    uv = [sys.executable, "-m", "uv"]
    run(*uv, "venv", "--quiet", "--python", python, folder)
    programs = folder / "bin"
    links = [*as_options(settings_of_pip(Path(sys.executable))), "--find-links", str(out)]
    links += ["--constraint", str(ROOT / "constraints.txt"), *options]
    run(*uv, "pip", "install", "--quiet", "--python", programs / "python", *links, wanted)
    return programs


def readme() -> tuple[list[list[str]], str]:
    """The commands of ``stela`` that the README shows, in order, and its Python."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for language, code in blocks if not language for line in code.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("stela ")]
    # Of a server's own model, which is not here.
    here = [words for words in commands if "served.stela" not in words and words[1] != "key"]
    [python] = [code for language, code in blocks if language == "python"]
    return here, python


def run_readme(programs: Path, folder: Path) -> None:
    """All that the README shows, in a folder.

    Raises:
        SystemExit: a command failed, or a text's mark was not found.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    commands, python = readme()
    for words in commands:
        said = run(programs / words[0], *words[1:], cwd=folder)
        if words[1] == "detect" and " watermarked " not in said:
            raise SystemExit(f"{shlex.join(words)}\n{said}")
    if "Detection(watermarked" not in run(programs / "python", "-c", python, cwd=folder):
        raise SystemExit("the README's Python finds no mark")


def notes(version: str) -> str:
    """The release's section, as ``towncrier build`` will write it; with no fragments, the changelog's."""
    draft = run(sys.executable, "-m", "towncrier", "build", "--draft", "--version", version, cwd=ROOT)
    if "No significant changes" not in draft:
        return draft[draft.index("## ") :]
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    match = re.search(rf"^## \[?{re.escape(version)}\b.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[0] if match else draft


def try_it(out: Path, pythons: list[str], version: str) -> None:
    """Install and run: the README with torch on the first Python, detection without torch on each."""
    with tempfile.TemporaryDirectory(prefix="stela-release-") as name:
        home = Path(name)
        texts = home / "readme"
        texts.mkdir()
        began = time.monotonic()
        run_readme(environment(home / "full", pythons[0], f"{BUNDLE}[run,page]=={version}", out), texts)
        print(f"Python {pythons[0]}: the README runs, {time.monotonic() - began:.0f} s")
        for number, python in enumerate(pythons):  # a version, or a path
            began = time.monotonic()
            programs = environment(home / str(number), python, f"{BUNDLE}=={version}", out)
            detect = ["detect", "--profile", "p.stela", "out.jsonl"]
            if " watermarked " not in run(programs / "stela", *detect, cwd=texts):
                raise SystemExit(f"Python {python} finds no mark")
            heavy = (
                "from importlib.util import find_spec; print(*filter(find_spec, ('torch', 'transformers')))"
            )
            if brought := run(programs / "python", "-c", heavy).strip():
                raise SystemExit(f"{BUNDLE} brought {brought}")
            # What spaCy, HanLP and others have for this Python.
            environment(home / f"{number}-all", python, f"{BUNDLE}[all]=={version}", out, "--dry-run")
            took = time.monotonic() - began
            print(f"Python {python}: a mark is found without torch, [all] resolves, {took:.0f} s")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", default="dist")
    parser.add_argument("--pythons", default=PYTHONS)
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--check", action="store_true")
    told = parser.parse_args(arguments)
    out = Path(told.out).resolve()
    if len(set(versions().values())) != 1:
        raise SystemExit("the distributions state several versions: python scripts/version.py VERSION")
    [version] = set(versions().values())
    if not (told.built or told.check):
        build_wheels.main([str(out)])
    if wrong := problems(out):
        raise SystemExit("\n".join(wrong))
    files = sorted(out.glob("stela_*"))
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{len(files)} files of {version}, {size:.1f} MB: names, versions, licences and sizes are right")
    if told.check:
        return 0
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    try_it(out, told.pythons.split(), version)
    (out / "release-notes.md").write_text(notes(version), encoding="utf-8")
    print(f"notes are in {out / 'release-notes.md'}; nothing is uploaded: push the tag v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
