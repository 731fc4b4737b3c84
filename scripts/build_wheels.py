"""Build distributions into a folder: ``python -m scripts.build_wheels dist [FOLDER | NAME ...]``, or all.

Source distributions are made from copies, so that nothing is left in the source and nothing that lies about
(``build/`` of an older version) gets in; wheels are built from the source distributions, as an index's users
build them, so that these are known to be whole. With a name such as ``stela-serve``, what it needs is built.
Needs setuptools and pip; fetches nothing.
"""

from __future__ import annotations

import io
import logging
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from scripts.own_needs import with_needs
from scripts.version import pyprojects, versions

BACKEND = "setuptools.build_meta"
PROCESSES = 2

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
    "bundle",
    "docs",
    "benchmarks",
    ".*",
)


def released() -> list[Path]:
    """Folders of the distributions that a release consists of, the core's first."""
    return [file.parent for file in pyprojects() if file.parent.name != TEMPLATE]


def folders_of(words: list[str]) -> list[Path]:
    """The folders that words name, and those of what distributions that they name need."""
    by_name = dict(zip(versions(), (file.parent for file in pyprojects()), strict=True))
    names = {word for word in words if word in by_name}
    return [
        *(Path(word) for word in words if word not in names),
        *(by_name[name] for name in sorted(with_needs(names))),
    ]


def build(folders: Iterable[Path], out: Path) -> list[Path]:
    """Source distributions and wheels of some folders.

    Args:
        folders: each with a pyproject.toml.
        out: existing folder; those of other versions are left there.

    Returns:
        The wheels.

    Raises:
        RuntimeError: one could not be built: which, and why.
    """
    import_module(BACKEND)  # before the processes are forked
    with tempfile.TemporaryDirectory(prefix="stela-build-") as name:
        home = Path(name)
        (home / "built").mkdir()
        jobs = [(folder, home / str(index), home / "built") for index, folder in enumerate(folders)]
        # A process each, for a build leaves setuptools changed; forked, so that each has it imported.
        with get_context("fork").Pool(PROCESSES, maxtasksperchild=1) as pool:
            pool.starmap(build_one, jobs, chunksize=1)
        made = [Path(shutil.copy(path, out)) for path in sorted((home / "built").iterdir())]
    return [path for path in made if path.suffix == ".whl"]


def build_one(folder: Path, home: Path, out: Path) -> None:
    """One source distribution, and the wheel that it gives. What is said is shown if it fails.

    Args:
        folder: with a pyproject.toml.
        home: a folder to make, for copies.
        out: existing folder.
    """
    build_meta = import_module(BACKEND)
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            logging.basicConfig(stream=said, force=True)
            os.chdir(shutil.copytree(folder, home / "copy", ignore=LEFT_OUT))
            source = out / build_meta.build_sdist(str(out))
            with tarfile.open(source) as archive:
                archive.extractall(home, filter="data")
            os.chdir(home / source.name.removesuffix(".tar.gz"))
            build_meta.build_wheel(str(out))
    except BaseException as error:
        raise RuntimeError(f"{folder}: {error!r}\n{said.getvalue()}") from None


def main(arguments: list[str]) -> int:
    out = Path(arguments[0] if arguments else "dist").resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("stela_*"):
        old.unlink()
    wheels = build(folders_of(arguments[1:]) or released(), out)
    size = sum(path.stat().st_size for path in wheels)
    print(f"{len(wheels)} wheels ({size / 1e6:.1f} MB) and as many source distributions in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
