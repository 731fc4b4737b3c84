"""Build distributions into a folder: ``python -m scripts.build_wheels dist [FOLDER ...]``, by default all.

Source distributions are made from copies, so that nothing is left in the source and nothing that lies about
(``build/`` of an older version) gets in; wheels are built from the source distributions, as an index's users
build them, so that these are known to be whole. Needs setuptools and pip; fetches nothing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEMPLATE = "_template"
"""A plugin to copy, not one to install."""

LEFT_OUT = shutil.ignore_patterns(
    "__pycache__",
    "*.egg-info",
    "build",
    "dist",
    "site",
    "tests",
    "scripts",
    "plugins",
    "docs",
    "benchmarks",
    ".*",
)
SDIST = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"
WHEEL = ("wheel", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-index")


def released() -> list[Path]:
    """Folders of the distributions that a release consists of, the core's first."""
    plugins = sorted(file.parent for file in ROOT.glob("plugins/*/pyproject.toml"))
    return [ROOT, *(folder for folder in plugins if folder.name != TEMPLATE)]


def build(folders: Iterable[Path], out: Path) -> list[Path]:
    """Source distributions and wheels of some folders.

    Args:
        folders: each with a pyproject.toml.
        out: existing folder; those of other versions are left there.

    Returns:
        The wheels.

    Raises:
        subprocess.CalledProcessError: one could not be built; its notes say why.
    """
    with tempfile.TemporaryDirectory(prefix="stela-build-") as name:
        home = Path(name)
        for index, folder in enumerate(folders):
            copy = shutil.copytree(folder, home / str(index), ignore=LEFT_OUT)
            call([sys.executable, "-c", SDIST, str(home / "built")], copy)
        sources = sorted((home / "built").glob("*.tar.gz"))
        call([sys.executable, "-m", "pip", *WHEEL, "-w", str(home / "built"), *map(str, sources)], home)
        made = [Path(shutil.copy(path, out)) for path in sorted((home / "built").iterdir())]
    return [path for path in made if path.suffix == ".whl"]


def call(command: list[str], folder: Path) -> None:
    """Run a command that is silent unless it fails; then what it said goes with the error."""
    try:
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError as error:
        error.add_note(f"{error.stdout}{error.stderr}")
        raise


def main(arguments: list[str]) -> int:
    out = Path(arguments[0] if arguments else "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("stela_*"):
        old.unlink()
    wheels = build([Path(folder) for folder in arguments[1:]] or released(), out)
    size = sum(path.stat().st_size for path in wheels)
    print(f"{len(wheels)} wheels ({size / 1e6:.1f} MB) and as many source distributions in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
