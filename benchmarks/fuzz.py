"""Mutated files of strangers: only success or a StelaError may come out, without a panic of a library.

``python -m benchmarks fuzz [--inputs 50000] [--seed 2026]``. Input n of a seed is the same in every run, so
what fails is found again by its number.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.strangers.mutations import SHARES, mutated
from benchmarks.strangers.targets import NAMES, TARGETS
from benchmarks.texts import Texts
from stela_core.errors import StelaError

SLOW = 2.0
"""Seconds of CPU."""


@dataclass
class Findings:
    """What came out of a number of inputs."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind of file, and ``read``, ``StelaError`` or the name of another exception."""
    failures: list[str] = field(default_factory=list)
    """Of the other exceptions: number and traceback."""
    slow: list[str] = field(default_factory=list)
    slowest: float = 0.0


def fuzz(inputs: int, seed: int, kinds: tuple[str, ...] = tuple(SHARES)) -> Findings:
    """Read so many mutated files."""
    found = Findings()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cells").mkdir()
        for number in range(inputs):
            rng = random.Random(f"{seed} {number}")
            kind = rng.choices(kinds, [SHARES[kind] for kind in kinds])[0]
            data = mutated(kind, rng)
            path = folder / NAMES[kind]
            path.write_bytes(data)
            start = time.process_time()
            outcome = "read"
            try:
                TARGETS[kind](path)
            except StelaError:
                outcome = "StelaError"
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:
                outcome = type(error).__name__
                found.failures.append(f"{kind}, input {number} of seed {seed}:\n{traceback.format_exc()}")
            spent = time.process_time() - start
            found.slowest = max(found.slowest, spent)
            if spent > SLOW:
                found.slow.append(f"{kind}, input {number} of seed {seed}: {spent:.1f} s")
            found.outcomes[kind, outcome] += 1
    return found


def run(_: Texts, args: argparse.Namespace) -> None:
    """Print what came out."""
    found = fuzz(args.inputs, args.seed)
    outcomes = sorted({outcome for _, outcome in found.outcomes})
    print(f"{'kind':<16}" + "".join(f"{outcome:>16}" for outcome in outcomes))
    for kind in SHARES:
        print(f"{kind:<16}" + "".join(f"{found.outcomes[kind, outcome]:>16,}" for outcome in outcomes))
    print(f"{args.inputs:,} inputs, {len(found.failures)} failures; slowest {found.slowest:.2f} s of CPU")
    for failure in [*found.failures[:10], *found.slow[:10]]:
        print(failure)
