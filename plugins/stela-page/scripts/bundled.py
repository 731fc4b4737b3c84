"""Programs of ``web/tests`` that scripts ask, bundled for node."""

from __future__ import annotations

import subprocess
from pathlib import Path

PLUGIN = Path(__file__).resolve().parents[1]
OPTIONS = ("--bundle", "--platform=node", "--format=esm", "--target=node20", "--log-level=warning")


def bundled(name: str, folder: Path) -> Path:
    """The program ``name``.ts in a folder."""
    program = folder / f"{name}.mjs"
    source = PLUGIN / "web" / "tests" / f"{name}.ts"
    esbuild = PLUGIN / "node_modules" / ".bin" / "esbuild"
    subprocess.run([str(esbuild), str(source), *OPTIONS, f"--outfile={program}"], check=True)
    return program
