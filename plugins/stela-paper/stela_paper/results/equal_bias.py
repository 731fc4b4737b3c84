"""KGW and STELA at equal mean bias: the comparison that sets the others right."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results.grids import Rows
from stela_paper.results.intervals import difference, mean, signs, verdicts
from stela_paper.results.markdown import cell, share
from stela_paper.results.reading import LANGUAGES, Run

BIAS = 1.0


def table(run: Run) -> Rows:
    """A row for each language and length: z of both, their difference, what is found, sizes, the mean bias."""
    rows, gaps, nulls = [], [], []
    graded = [(f"{name} mean_bias={BIAS}", name) for name in ("kgw", "stela")]
    # A strength stands in the label only where there are several.
    of = {"KGW": graded[0], "STELA": graded[1]}
    labels = {name: label if label in run.labels else plain for name, (label, plain) in of.items()}
    for language in run.languages:
        for length in run.experiment["lengths"]:
            scores = {name: run.scores(language, label, length) for name, label in labels.items()}
            pairs = run.paired(scores["STELA"], scores["KGW"])
            gaps.append(difference(pairs))
            where = {"language": language, "length": length}
            z_stela, z_kgw = (f"{one:.2f}" for one in pairs.means)
            row = {
                "language": LANGUAGES[language],
                "tokens": str(length),
                "KGW: z": z_kgw,
                "STELA: z": z_stela,
            }
            row["difference"] = str(gaps[-1])
            for name, label in labels.items():
                row[f"{name}: found at p ≤ 0.01"] = cell(run.value("tpr@p<=0.01", label=label, **where))
            for name, label in labels.items():
                row[f"{name}: size"] = share(run.size(language, label, length))
            for name, label in labels.items():
                nulls.append(mean(run.paired(run.scores(language, label, length, kind="model"))))
                row[f"{name}: z of unmarked text"] = str(nulls[-1])
            for name, label in labels.items():
                row[f"{name}: mean bias"] = cell(run.value("bias", label=label, **where))
            rows.append(row)
    verdicts(rows, gaps)
    off = signs(nulls)
    for place, row in enumerate(rows):
        row["unmarked z differs from 0"] = "yes" if any(off[2 * place : 2 * place + 2]) else "no"
    return rows


def measured(run: Run, _figures: Path) -> dict[str, Rows]:
    """The table; it draws nothing."""
    return {"": table(run)}
