"""Install requirement files, or parts of this clone, into an environment: by uv, or by pip where it is not.

    python scripts/install.py VENV [FILE ...] [--with "WORD ..."] [--constraints FILE]

A word is an extra of ``stela-watermark``, such as ``generate``, ``detect`` for what it always brings, or a
distribution without its ``stela-``: ``tr``, ``attacks[wordnet]``. It is installed in place, with its needs.
Versions are those of ``constraints.txt``, or of another file. uv resolves, unpacks and builds side by side,
in a fraction of pip's time. It does not read pip's settings: those that say where packages lie are handed on.
This file runs before anything is installed: it needs Python and nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PIP = ["-m", "pip", "--disable-pip-version-check"]

HANDED_ON = {"index-url": "--index-url", "extra-index-url": "--extra-index-url", "find-links": "--find-links"}
"""Settings of pip that uv takes as an option; each may hold several values."""

BUNDLE = "stela-watermark"
OURS = re.compile(r"(?P<name>stela-[a-z0-9-]+)(?:\[(?P<extras>[a-z,]+)\])?")


def projects() -> dict[str, tuple[Path, dict[str, Any]]]:
    """Folder and ``[project]`` of each distribution of this clone."""
    files = [
        ROOT / "pyproject.toml",
        ROOT / "bundle" / "pyproject.toml",
        *ROOT.glob("plugins/*/pyproject.toml"),
    ]
    read = {file.parent: tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in files}
    return {project["name"]: (folder, project) for folder, project in read.items()}


def requirement(word: str, known: dict[str, tuple[Path, dict[str, Any]]]) -> str:
    """What a word asks for.

    Raises:
        ValueError: it names nothing; says what is closest.
    """
    extras = known[BUNDLE][1]["optional-dependencies"]
    if word == "detect":
        return BUNDLE
    if word in extras:
        return f"{BUNDLE}[{word}]"
    full = word if word.startswith("stela-") else f"stela-{word}"
    match = OURS.fullmatch(full)
    if match and match["name"] in known:
        own = known[match["name"]][1].get("optional-dependencies", {})
        if set((match["extras"] or "").split(",")) - {""} <= set(own):
            return full
        raise ValueError(f'"{word}": the extras of {match["name"]} are {", ".join(own) or "none"}')
    names = ["detect", *extras, *(name.removeprefix("stela-") for name in known)]
    close = get_close_matches(word, names, n=1)
    closest = f'did you mean "{close[0]}"?' if close else f"known are {', '.join(dict.fromkeys(names))}"
    raise ValueError(f'"{word}" is not known here; {closest}')


def in_place(words: list[str]) -> Iterator[str]:
    """Options that install what words name from this clone, with all that it needs of the project.

    pip would look for that on an index.

    Raises:
        ValueError: a word names nothing.
    """
    known = projects()
    waiting = [requirement(word, known) for word in words]
    wanted: dict[str, set[str]] = {}
    while waiting:
        match = OURS.match(waiting.pop())
        if match is None:
            continue
        _, project = known[match["name"]]
        asked = {"", *(match["extras"] or "").split(",")} - wanted.get(match["name"], set())
        wanted.setdefault(match["name"], set()).update(asked)
        for extra in asked:
            waiting += project["optional-dependencies"][extra] if extra else project.get("dependencies", [])
    for name, extras in sorted(wanted.items()):
        joined = ",".join(sorted(extras - {""}))
        yield from ("--editable", f"{known[name][0]}[{joined}]" if joined else str(known[name][0]))


def settings_of_pip(python: Path) -> dict[str, list[str]]:
    """The values of each setting, of its files and of the environment; the last to say one has it."""
    told = subprocess.run(
        [python, *PIP, "config", "list"], capture_output=True, text=True, check=False
    ).stdout
    settings: dict[str, list[str]] = {}
    for line in told.splitlines():
        name, equals, value = line.partition("=")
        if equals:
            settings[name.rpartition(".")[2]] = value.strip().strip("'\"").replace("\\n", " ").split()
    return settings


def as_options(settings: dict[str, list[str]]) -> list[str]:
    """The same as options of uv."""
    options = [
        part
        for name, option in HANDED_ON.items()
        for value in settings.get(name, [])
        for part in (option, value)
    ]
    constraints = [part for value in settings.get("constraint", []) for part in ("--constraint", value)]
    # As pip does: the best version of all indexes, where uv takes the first index that has the name.
    return [*options, *constraints, "--index-strategy", "unsafe-best-match"]


def uv_of(python: Path) -> list[str] | None:
    """The command of uv: the user's own, or one that is installed for this; ``None`` where there is none."""
    if shutil.which("uv"):
        return ["uv"]
    asked = [str(python), *PIP, "install", "--quiet", "uv", "-c", str(ROOT / "constraints.txt")]
    return [str(python), "-m", "uv"] if subprocess.run(asked, check=False).returncode == 0 else None


def install_by_uv(python: Path, wanted: list[str]) -> bool:
    """Whether uv could be had, and installed it all."""
    uv = uv_of(python)
    if uv is None:
        return False
    settings = settings_of_pip(python)
    environment = dict(os.environ)
    for certificates in settings.get("cert", []):
        environment.setdefault("SSL_CERT_FILE", certificates)
    command = [*uv, "pip", "install", "--quiet", "--python", str(python), *as_options(settings)]
    # Builds share this one, compiled; each would else compile its own first, which takes longer than a build.
    tools = ["--compile-bytecode", "--upgrade", "setuptools", "--constraint", str(ROOT / "constraints.txt")]
    return all(
        subprocess.run([*command, *what], env=environment, check=False).returncode == 0
        for what in (tools, ["--no-build-isolation", *wanted])
    )


def main(environment: str, files: list[str], words: str, constraints: str) -> None:
    """Install the files, and what the words name."""
    python = Path(environment).absolute() / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = [part for file in files for part in ("--requirement", file)]
    try:
        wanted += [*in_place(words.split())]
    except ValueError as error:
        sys.exit(str(error))
    wanted += ["--constraint", constraints]
    os.chdir(ROOT)
    if not install_by_uv(python, wanted):
        print("uv cannot install it: pip does, which takes longer", file=sys.stderr)
        sys.exit(subprocess.run([python, *PIP, "install", "--quiet", *wanted], check=False).returncode)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("environment")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--with", dest="words", default="")
    parser.add_argument("--constraints", default=str(ROOT / "constraints.txt"))
    told = parser.parse_args()
    main(told.environment, told.files, told.words, told.constraints)
