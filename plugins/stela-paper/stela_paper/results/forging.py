"""What forgers without the key achieve, and what edits cost, by scheme and width of the hash context."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from stela_run.statistics.shares import clopper_pearson

from stela_paper.results.intervals import difference
from stela_paper.results.markdown import table
from stela_paper.results.reading import Run, Scores

ALPHA = 0.001
"""What a verdict calls watermarked, by default."""


def entries(run: Run) -> list[tuple[str, str, str]]:
    """Label, scheme and width of the hash context of what was compared, in the order of the file."""
    schemes = {}
    for record in run.records:
        width = record["parameters"].get("context_width")
        schemes[record["label"]] = (record["scheme"], "none" if width is None else str(width))
    return [(label, *names) for label, names in schemes.items()]


def attacks(run: Run, name: str) -> list[str]:
    """Labels of an attack's variants, in the order of the file."""
    return [a for a in dict.fromkeys(record["attack"] for record in run.records) if a.startswith(name)]


def forging(runs: Sequence[Run]) -> str:
    """Median p-values, and the share called watermarked, by texts learned from; the runs' attackers are alike."""
    steal = attacks(runs[0], "steal")
    numbers = [re.search(r"texts=(\d+)", attack).group(1) for attack in steal]  # type: ignore[union-attr]
    header = ["scheme", "context width", "keys", "marked text"]
    header += [f"forged from {number}; p ≤ {ALPHA:g}" for number in numbers]
    rows = []
    for run in runs:
        for label, scheme, width in entries(run):
            row = [
                f"`{scheme}`",
                width,
                str(len(run.experiment["seeds"])),
                _median(_scores(run, label, "none")),
            ]
            for attack in steal:
                scores = _scores(run, label, attack)
                row.append(f"{_median(scores)}; {_share(p for _, p in scores.values())}")
            rows.append(row)
    return table(header, rows)


def edits(run: Run) -> str:
    """Mean z before and after edits, its difference to the scheme's smallest width, and the share called watermarked."""
    kinds = ["none", *attacks(run, "edits"), *attacks(run, "wordnet")]
    rows = []
    base: dict[str, str] = {}
    for label, scheme, width in entries(run):
        first = base.setdefault(scheme, label)
        row = [f"`{scheme}`", width, f"{_bias(run, label):.2f}"]
        for kind in kinds:
            # Paired by key and prompt: a text that one cell lost is left out of both.
            scores = _scores(run, label, kind)
            pairs = run.paired(scores, _scores(run, first, kind))
            less = "" if label == first else f" ({difference(pairs)})"
            hits = np.mean([p <= ALPHA for _, p in scores.values()])
            row.append(f"{pairs.means[0]:.2f}{less}; {hits:.2f}")
        rows.append(row)
    return table(("scheme", "context width", "mean bias", *map(_told, kinds)), rows)


def _scores(run: Run, label: str, attack: str) -> Scores:
    [language] = run.languages
    [length] = run.experiment["lengths"]
    return run.scores(language, label, length, attack=attack)


def _median(scores: Scores) -> str:
    """Median of all p-values, with the smallest and the largest of the keys' medians."""
    by_key = defaultdict(list)
    for (seed, _), (_, p) in scores.items():
        by_key[seed].append(p)
    own = sorted(float(np.median(values)) for values in by_key.values())
    every = float(np.median([p for values in by_key.values() for p in values]))
    return f"{every:.0e} [{own[0]:.0e}, {own[-1]:.0e}]" if len(own) > 1 else f"{every:.0e}"


def _share(p_values: Iterable[float]) -> str:
    hits = [p <= ALPHA for p in p_values]
    low, high = clopper_pearson(sum(hits), len(hits))
    return f"{np.mean(hits):.2f} [{low:.2f}, {high:.2f}]"


def _bias(run: Run, label: str) -> float:
    """Measured, mean over keys."""
    records = run.find(label=label, attack="none")
    return float(np.mean([record["values"]["bias"]["value"] for record in records]))


def _told(attack: str) -> str:
    """``edits-delete 0.3`` of ``edits-delete(share=0.3, ...)``."""
    name, _, parameters = attack.partition("(")
    share = re.search(r"share=([\d.]+)", parameters)
    return {"none": "unedited"}.get(name, name) + (f" {share.group(1)}" if share else "")
