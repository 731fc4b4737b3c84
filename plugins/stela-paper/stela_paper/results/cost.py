"""At equal perplexity: KGW and STELA at the cost that MorphMark has."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression
from stela_run.statistics.bootstrap import Floats

from stela_paper.results.figures import panels
from stela_paper.results.grids import Row, Rows
from stela_paper.results.intervals import Estimate, estimate, verdicts
from stela_paper.results.markdown import cell
from stela_paper.results.reading import LANGUAGES, Run, Scores

NAMES = ("kgw", "stela")


class Curve(NamedTuple):
    """z of one scheme as a function of its cost in perplexity."""

    costs: list[float]
    """Ascending: smoothed by isotonic regression, for the perplexities of so few texts are noisy."""
    cells: list[Scores]
    """Scores at each cost."""

    @classmethod
    def of(cls, run: Run, language: str, name: str, length: int) -> Curve:
        """The curve of a scheme, from no mark to the strongest of the grid."""
        labels = _family(run, name)
        costs = [0.0, *((_cost(run, language, label, length) or {"value": 0.0})["value"] for label in labels)]
        smooth = IsotonicRegression().fit_transform(range(len(costs)), costs).tolist()
        unmarked = run.scores(language, labels[0], length, kind="model")
        return cls(smooth, [unmarked, *(run.scores(language, label, length) for label in labels)])

    def at(self, cost: float, means: Floats) -> Floats:
        """Z at a cost of means (points, resamples)."""
        after = min(max(1, int(np.searchsorted(self.costs, cost))), len(self.costs) - 1)
        width = self.costs[after] - self.costs[after - 1]
        share = (cost - self.costs[after - 1]) / width if width > 0 else 1.0
        z: Floats = (1 - share) * means[after - 1] + share * means[after]
        return z


def curves(run: Run, figures: Path, length: int) -> dict[str, Rows]:
    """All three at MorphMark's cost, and what each strength costs; z against cost in perplexity is drawn."""
    lines: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    rows: Rows = []
    gaps: list[Estimate] = []
    costs: Rows = []
    morphmark = _family(run, "morphmark")[-1]
    for language in run.languages:
        of = {name: Curve.of(run, language, name, length) for name in NAMES}
        lines[language] = {
            name: (curve.costs, [_mean(one) for one in curve.cells]) for name, curve in of.items()
        }
        costs += [_spent(run, language, label, length) for label in run.labels]
        cost = _cost(run, language, morphmark, length)
        reference = run.scores(language, morphmark, length)
        if cost is None:
            continue
        lines[language]["morphmark"] = ([cost["value"]], [_mean(reference)])
        for name, curve in of.items():
            row = {"language": LANGUAGES[language], "tokens": str(length), "cost": cell(cost, 3)}
            row |= {"MorphMark: z": f"{_mean(reference):.2f}", "scheme": name.upper()}
            if not 0 < cost["value"] <= curve.costs[-1]:
                # Below no cost at all there is nothing to compare: under this reader the mark has none that shows.
                outside = "no rise" if cost["value"] <= 0 else "beyond the grid"
                rows.append({**row, "z": outside, "less MorphMark": "–"})
                continue
            pairs = run.paired(*curve.cells, reference)
            gaps.append(estimate(pairs, partial(_ahead, curve, cost["value"])))
            row["z"] = str(estimate(pairs, partial(_at, curve, cost["value"])))
            rows.append({**row, "less MorphMark": str(gaps[-1])})
    panels(
        figures / "strength.svg", lines, "rise of log-perplexity, nats a token", f"mean z, {length} tokens"
    )
    verdicts([row for row in rows if row["less MorphMark"] != "–"], gaps)
    rows = [{**row, "verdict": row.get("verdict", "–")} for row in rows]
    return {"perplexity": rows, "costs": costs}


def _spent(run: Run, language: str, label: str, length: int) -> Row:
    bias = run.value("bias", language=language, label=label, length=length)
    rise = _cost(run, language, label, length)
    z = _mean(run.scores(language, label, length))
    row = {"language": LANGUAGES[language], "tokens": str(length), "scheme": label, "mean bias": cell(bias)}
    return {**row, "z": f"{z:.2f}", "rise of log-perplexity": cell(rise, 3)}


def _at(curve: Curve, cost: float, means: Floats) -> Floats:
    """Z of a curve at a cost; the last of the means is the reference's."""
    return curve.at(cost, means[:-1])


def _ahead(curve: Curve, cost: float, means: Floats) -> Floats:
    """What a curve has at a cost beyond the reference."""
    gap: Floats = curve.at(cost, means[:-1]) - means[-1]
    return gap


def _family(run: Run, name: str) -> list[str]:
    return [label for label in run.labels if label.split(" ")[0] == name]


def _cost(run: Run, language: str, label: str, length: int) -> dict[str, Any] | None:
    return run.value("log-perplexity-difference", language=language, label=label, length=length)


def _mean(scores: Scores) -> float:
    return float(np.mean([z for z, _ in scores.values()]))
