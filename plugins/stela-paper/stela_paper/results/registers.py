"""What weights are worth in another register, from runs of the experiment ``registers``.

Mean z, the share of the way from uniform weights to EWD, what is found, and the size of the test.
"""

from __future__ import annotations

from stela_paper.results.intervals import share_of_the_way
from stela_paper.results.markdown import cell, share, table
from stela_paper.results.reading import Run

FLOOR, GOAL = "kgw", "kgw+ewd"


def shares(run: Run) -> str:
    """A table of a run: a row for each length and weight."""
    rows = []
    for length in run.experiment["lengths"]:
        scores = {label: run.scores("en", label, length) for label in run.labels}
        named = {label.split(" ")[0]: label for label in run.labels}
        for name, label in named.items():
            pairs = run.paired(scores[label], scores[named[FLOOR]], scores[named[GOAL]])
            way = "–" if name == FLOOR else str(share_of_the_way(pairs))
            seen = run.value("tpr@p<=0.01", language="en", label=label, length=length)
            size = share(run.size("en", label, length))
            rows.append((str(length), name, f"{pairs.means[0]:.2f}", way, cell(seen), size))
    return table(("tokens", "weight", "z", "share of the way to EWD", "found at p ≤ 0.01", "size"), rows)
