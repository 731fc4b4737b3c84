"""Mutated files of strangers: only success or a StelaError may come out, without a panic of a library.

``python -m tests.safety.fuzz [--inputs 50000] [--seed 2026] [--kinds profile,table]``. Input n of a seed is
the same in every run, so what fails is found again by its number. Each kind's longest time and most memory
are printed, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from stela_core.errors import StelaError
from tests.safety.mutations import SHARES, mutated
from tests.safety.panics import panics_caught
from tests.safety.peak import Peak, resident_mib
from tests.safety.targets import NAMES, TARGETS

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
    slowest: dict[str, float] = field(default_factory=dict)
    """Seconds of CPU by kind."""
    largest: dict[str, float] = field(default_factory=dict)
    """MiB that a file took beyond what the process had before it, by kind."""


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
            peak, start = Peak(), time.process_time()
            outcome, what_failed = read(kind, path)
            spent, taken = time.process_time() - start, peak.mib()
            if places := panics():
                outcome, what_failed = "panic", "\n".join(places)
            if what_failed:
                findings.failures.append(f"{kind}, input {number} of seed {seed}:\n{what_failed}")
            findings.slowest[kind] = max(findings.slowest.get(kind, 0.0), spent)
            findings.largest[kind] = max(findings.largest.get(kind, 0.0), taken)
            if spent > SLOW:
                findings.slow.append(f"{kind}, input {number} of seed {seed}: {spent:.1f} s")
            findings.outcomes[kind, outcome] += 1
            if number % 10_000 == 9_999:
                print(f"{number + 1:,} of {inputs:,}, {len(findings.failures)} failures", file=sys.stderr)
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


def main() -> None:
    """Print what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--kinds", help="of files, with commas between them; by default all")
    args = parser.parse_args()
    kinds = tuple(args.kinds.split(",")) if args.kinds else tuple(SHARES)
    fuzz(min(100, args.inputs), args.seed, kinds)  # libraries are there, and caches warm
    before = resident_mib()
    findings = fuzz(args.inputs, args.seed, kinds)
    after = resident_mib()
    outcomes = sorted({outcome for _, outcome in findings.outcomes})
    print(f"{'kind':<16}" + "".join(f"{name:>16}" for name in [*outcomes, "most CPU s", "most MiB"]))
    for kind in kinds:
        counts = "".join(f"{findings.outcomes[kind, outcome]:>16,}" for outcome in outcomes)
        worst = f"{findings.slowest.get(kind, 0.0):>16.2f}{findings.largest.get(kind, 0.0):>16.0f}"
        print(f"{kind:<16}{counts}{worst}")
    slowest, largest = max(findings.slowest.values()), max(findings.largest.values())
    print(
        f"{args.inputs:,} inputs, {len(findings.failures)} failures; "
        f"slowest {slowest:.2f} s of CPU, most memory {largest:.0f} MiB"
    )
    print(f"the process had {before:.0f} MiB after a hundred files, and {after:.0f} after all")
    for failure in [*findings.failures[:10], *findings.slow[:10]]:
        print(failure)


if __name__ == "__main__":
    main()
