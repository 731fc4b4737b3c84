"""Environments of their own for engines that do not go beside what the project is developed with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def make(folder: Path) -> Path:
    """A virtual environment; what is there stays. Its folder of programs."""
    programs = folder / "bin"
    if not (programs / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return programs


def pip(programs: Path, *arguments: str) -> None:
    """Run an environment's pip."""
    subprocess.run([str(programs / "python"), "-m", "pip", "-q", *arguments], check=True)


def has(programs: Path, package: str) -> bool:
    """Whether a package can be imported there."""
    program = f"from importlib.util import find_spec; raise SystemExit(find_spec({package!r}) is None)"
    return subprocess.run([str(programs / "python"), "-c", program], check=False).returncode == 0
