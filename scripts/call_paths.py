"""How much of the project's code one use of it passes through: ``python -m scripts.call_paths [--short]``.

Of each use it prints three numbers: files whose functions are called, different functions, and returns: how
often control comes back to a file that it had left for another. Run it on two revisions to compare them;
``--short`` leaves the run of an experiment out.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela

ROOT = Path(__file__).parents[1]
HOMES = (str(ROOT / "stela_core"), str(ROOT / "plugins"))
RUN = """
title = "Two texts"
model = "tiny"
lengths = [25]
texts = 2

[languages.en]
tagger = "penn"

[[schemes]]
name = "kgw"
delta = 2.0
"""


class Passed(NamedTuple):
    """What one use passes through."""

    files: int
    functions: int
    returns: int


def passed(use: Callable[[], object]) -> Passed:
    """Files, functions and returns of one use, in this thread.

    Args:
        use: what is done, once.
    """
    functions: set[CodeType] = set()
    files: set[str] = set()
    returns, last = 0, ""

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal returns, last
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(HOMES):
            return
        returns += code.co_filename != last and code.co_filename in files
        functions.add(code)
        files.add(code.co_filename)
        last = code.co_filename

    sys.setprofile(called)
    try:
        use()
    finally:
        sys.setprofile(None)
    return Passed(len(files), len(functions), returns)


def uses(folder: Path, short: bool) -> dict[str, Passed]:
    """Of a new KGW profile: loading it, a second detection, one step of marking; and a run of two texts.

    Args:
        folder: for the profile and the run.
        short: leave the run out.
    """
    profile, experiment = folder / "p.stela", folder / "run.toml"
    experiment.write_text(RUN, encoding="utf-8")
    new = ("profile", "new", "--scheme", "kgw", "--model", "tiny", "--public-key", "-o", profile)
    assert run_cli(*new).status == 0
    of = {"stela.load": passed(lambda: stela.load(profile))}
    watermark = stela.load(profile)
    text = ENGLISH[:400]
    watermark.detect(text)
    of["detect"] = passed(lambda: watermark.detect(text))
    marker, ids, logits = watermark.marker(), [list(range(20))], np.zeros((1, 4096), dtype=np.float32)
    marker(ids, logits)
    of["one step"] = passed(lambda: marker(ids, logits))
    if not short:
        run = ("run", experiment, "-o", folder / "run")
        of["stela run, two texts"] = passed(lambda: run_cli(*run))
    return of


def main() -> None:
    """Print a row for each use."""
    table = Table("use", *Passed._fields)
    with tempfile.TemporaryDirectory() as folder:
        for use, path in uses(Path(folder), "--short" in sys.argv[1:]).items():
            table.add_row(use, *map(str, path))
    Console().print(table)


if __name__ == "__main__":
    main()
