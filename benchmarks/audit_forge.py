"""``python -m benchmarks.audit_forge``: how many answers of a detector forge a text of 20 words.

It writes a table of docs/trust.md. ``python -m benchmarks`` does not run it.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import get_args

import numpy as np
from stela_audit.climb import TARGET, Answers, climb

from benchmarks.audit import MARKS, create

ALPHA = 0.001


def main() -> None:
    """Print the table, a row for each mark as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit_forge", description=__doc__)
    parser.add_argument("--keys", type=int, default=5, help="a forger each")
    parser.add_argument("--queries", type=int, default=5000, help="after which a forger gives up")
    parser.add_argument("--marks", nargs="+", choices=MARKS, default=list(MARKS)[1:], metavar="MARK")
    parser.add_argument("--answers", nargs="+", choices=get_args(Answers), default=get_args(Answers))
    arguments = parser.parse_args()
    print(
        f"| mark | {' | '.join(arguments.answers)} |\n|{' --- |' * (1 + len(arguments.answers))}", flush=True
    )
    for mark in arguments.marks:
        shown = []
        marks = [create(mark, "tiny", key) for key in range(1, arguments.keys + 1)]
        for answers in arguments.answers:
            done = []
            for key, watermark in enumerate(marks):
                assert watermark is not None
                draws = np.random.default_rng([7, key])
                one = climb(
                    lambda text, watermark=watermark: watermark.detect(text).p_value,  # type: ignore[misc]
                    answers,
                    draws,
                    most=arguments.queries,
                    alpha=ALPHA,
                )
                done += [one.queries] if one.p_value <= TARGET else []
            shown.append(f"{median(done):g} ({len(done)}/{arguments.keys})" if done else "–")
        print(f"| {mark} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
