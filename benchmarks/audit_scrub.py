"""``python -m benchmarks.audit_scrub``: how many words of a marked text change until no mark is found.

It writes a table of docs/trust.md. ``python -m benchmarks`` does not run it.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import get_args

import numpy as np
from stela_audit.local import deployment
from stela_audit.scrub import Access, scrub
from stela_models.load import load_model

from benchmarks.audit import MARKS, create
from benchmarks.texts import registry

ALPHA = 0.001
TOKENS = 150
PROMPT = "The history of the city"


def main() -> None:
    """Print the table, a row for each mark as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit_scrub", description=__doc__)
    parser.add_argument("--keys", type=int, default=9, help="a text each")
    parser.add_argument("--queries", type=int, default=5000, help="after which an attacker gives up")
    parser.add_argument("--marks", nargs="+", choices=MARKS, default=list(MARKS)[1:], metavar="MARK")
    parser.add_argument("--access", nargs="+", choices=get_args(Access), default=get_args(Access))
    arguments = parser.parse_args()
    model = load_model(registry(), "tiny")
    print(f"| mark | {' | '.join(arguments.access)} |\n|{' --- |' * (1 + len(arguments.access))}", flush=True)
    for mark in arguments.marks:
        marks = [create(mark, "tiny", key) for key in range(1, arguments.keys + 1)]
        texts = [
            deployment(model, watermark, seed=key)(TOKENS)(PROMPT, 1)[0]
            for key, watermark in enumerate(marks, 1)
        ]
        shown = []
        for access in arguments.access:
            done = []
            for key, (watermark, text) in enumerate(zip(marks, texts, strict=True)):
                assert watermark is not None
                one = scrub(
                    text,
                    lambda text, watermark=watermark: watermark.detect(text).p_value,  # type: ignore[misc]
                    access,
                    np.random.default_rng([11, key]),
                    most=arguments.queries,
                    alpha=ALPHA,
                )
                done += [one] if one.p_value > ALPHA else []
            cell = f"{median(one.changed / one.words for one in done):.0%}" if done else "–"
            if done and access not in ("none", "key"):
                cell += f", {median(one.queries for one in done):g}"
            shown.append(cell if len(done) == len(texts) else f"{cell} ({len(done)}/{len(texts)})")
        print(f"| {mark} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
