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
from benchmarks.strangers.panics import panics_caught
from benchmarks.strangers.targets import NAMES, TARGETS
from benchmarks.texts import Texts
from stela_core.errors import StelaError

SLOW = 2.0
"""Seconds of CPU."""


@dataclass
class Findings:
    """What came out of a number of inputs."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind of file, and ``read``, ``StelaError``, ``panic`` or the name of another exception."""
    failures: list[str] = field(default_factory=list)
    """Of the other exceptions number and traceback; of panics, even those made a StelaError of, the place."""
    slow: list[str] = field(default_factory=list)
    slowest: float = 0.0


def fuzz(inputs: int, seed: int, kinds: tuple[str, ...] = tuple(SHARES)) -> Findings:
    """Read so many mutated files."""
    findings = Findings()
    with tempfile.TemporaryDirectory() as name, panics_caught() as panics:
        folder = Path(name)
        (folder / "cells").mkdir()
        for number in range(inputs):
            rng = random.Random(f"{seed} {number}")
            kind = rng.choices(kinds, [SHARES[kind] for kind in kinds])[0]
            path = folder / NAMES[kind]
            path.write_bytes(mutated(kind, rng))
            start = time.process_time()
            outcome, what_failed = read(kind, path)
            spent = time.process_time() - start
            if places := panics():
                outcome, what_failed = "panic", "\n".join(places)
            if what_failed:
                findings.failures.append(f"{kind}, input {number} of seed {seed}:\n{what_failed}")
            findings.slowest = max(findings.slowest, spent)
            if spent > SLOW:
                findings.slow.append(f"{kind}, input {number} of seed {seed}: {spent:.1f} s")
            findings.outcomes[kind, outcome] += 1
    return findings


def read(kind: str, path: Path) -> tuple[str, str]:
    """Outcome (see :class:`Findings`) and, where there should be none such, traceback."""
    try:
        TARGETS[kind](path)
    except StelaError:
        return "StelaError", ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return type(error).__name__, traceback.format_exc()
    return "read", ""


def run(_: Texts, args: argparse.Namespace) -> None:
    """Print what came out."""
    findings = fuzz(args.inputs, args.seed)
    outcomes = sorted({outcome for _, outcome in findings.outcomes})
    print(f"{'kind':<16}" + "".join(f"{outcome:>16}" for outcome in outcomes))
    for kind in SHARES:
        print(f"{kind:<16}" + "".join(f"{findings.outcomes[kind, outcome]:>16,}" for outcome in outcomes))
    failures = len(findings.failures)
    print(f"{args.inputs:,} inputs, {failures} failures; slowest {findings.slowest:.2f} s of CPU")
    for failure in [*findings.failures[:10], *findings.slow[:10]]:
        print(failure)
