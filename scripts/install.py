"""Install requirement files into an environment, by uv where it can be had, and by pip where not.

    python scripts/install.py VENV FILE [FILE ...] [--constraints FILE]

Versions are those of ``constraints.txt``, or of another file. uv resolves, unpacks and builds side by side,
in a fraction of pip's time. It does not read pip's settings: those that say where packages lie are handed on.
This file runs before anything is installed: it needs Python and nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP = ["-m", "pip", "--disable-pip-version-check"]

HANDED_ON = {"index-url": "--index-url", "extra-index-url": "--extra-index-url", "find-links": "--find-links"}
"""Settings of pip that uv takes as an option; each may hold several values."""


def settings_of_pip(python: Path) -> dict[str, list[str]]:
    """The values of each setting, of its files and of the environment; the last to say one has it."""
    told = subprocess.run([python, *PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
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


def install_by_uv(python: Path, wanted: list[str]) -> bool:
    """Whether uv could be had, and installed it all."""
    here = subprocess.run(
        [python, *PIP, "install", "--quiet", "uv", "-c", ROOT / "constraints.txt"], check=False
    )
    if here.returncode != 0:
        return False
    settings = settings_of_pip(python)
    environment = dict(os.environ)
    for certificates in settings.get("cert", []):
        environment.setdefault("SSL_CERT_FILE", certificates)
    command = [
        str(python),
        *["-m", "uv", "pip", "install", "--quiet", "--python"],
        str(python),
        *as_options(settings),
    ]
    return subprocess.run([*command, *wanted], env=environment, check=False).returncode == 0


def main(environment: str, files: list[str], constraints: str) -> None:
    """Install the files."""
    python = Path(environment).absolute() / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted = [part for file in files for part in ("--requirement", file)] + ["--constraint", constraints]
    os.chdir(ROOT)
    if not install_by_uv(python, wanted):
        print("uv cannot install it: pip does, which takes longer", file=sys.stderr)
        sys.exit(subprocess.run([python, *PIP, "install", "--quiet", *wanted], check=False).returncode)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("environment")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--constraints", default=str(ROOT / "constraints.txt"))
    told = parser.parse_args()
    main(told.environment, told.files, told.constraints)
