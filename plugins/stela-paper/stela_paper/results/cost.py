"""At equal perplexity: KGW and STELA at the cost that MorphMark has."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression
from stela_run.statistics.bootstrap import Floats

from stela_paper.results.figures import panels
from stela_paper.results.intervals import Estimate, estimate, signs
from stela_paper.results.markdown import cell, table
from stela_paper.results.reading import LANGUAGES, Run, Scores
from stela_paper.results.simple import judge_of

NAMES = ("kgw", "stela")


class Curve(NamedTuple):
    """z of one scheme as a function of its cost in perplexity."""

    costs: list[float]
    """Ascending: smoothed by isotonic regression, for the perplexities of so few texts are noisy."""
    cells: list[Scores]
    """Scores at each cost."""

    @classmethod
    def of(cls, run: Run, language: str, name: str, length: int) -> Curve:
        """From no mark at all to the strongest of the grid."""
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


def curves(run: Run, figures: Path, length: int) -> str:
    """Z against cost in perplexity, and all three at MorphMark's cost."""
    lines: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    rows: list[tuple[str, ...]] = []
    gaps: list[tuple[str, Estimate]] = []
    costs: list[tuple[str, ...]] = []
    biases: list[float] = []
    morphmark = _family(run, "morphmark")[-1]
    for language in run.languages:
        of = {name: Curve.of(run, language, name, length) for name in NAMES}
        lines[language] = {
            name: (curve.costs, [_mean(one) for one in curve.cells]) for name, curve in of.items()
        }
        for label in run.labels:
            bias = run.value("bias", language=language, label=label, length=length)
            rise = _cost(run, language, label, length)
            z = _mean(run.scores(language, label, length))
            costs.append((LANGUAGES[language], label, cell(bias), f"{z:.2f}", cell(rise, 3)))
            if label == morphmark and bias is not None:
                biases.append(bias["value"])
        cost = _cost(run, language, morphmark, length)
        reference = run.scores(language, morphmark, length)
        if cost is None:
            continue
        lines[language]["morphmark"] = ([cost["value"]], [_mean(reference)])
        row = [f"{_mean(reference):.2f}"]
        for name, curve in of.items():
            # Below no cost at all there is nothing to compare: under this reader the mark has none that shows.
            outside = "no rise" if cost["value"] <= 0 else "beyond the grid"
            if not 0 < cost["value"] <= curve.costs[-1]:
                row += [outside, "–"]
                continue
            pairs = run.paired(*curve.cells, reference)
            gap = estimate(pairs, partial(_ahead, curve, cost["value"]))
            row += [str(estimate(pairs, partial(_at, curve, cost["value"]))), str(gap)]
            gaps.append((f"{name.upper()} in {LANGUAGES[language]}", gap))
        rows.append((LANGUAGES[language], cell(cost, 3), *row))
    panels(
        figures / "strength.svg", lines, "rise of log-perplexity, nats a token", f"mean z, {length} tokens"
    )
    words = {1: "more than", -1: "less than", 0: "not told apart from"}
    told = [
        f"{place}: {words[sign]} MorphMark"
        for (place, _), sign in zip(gaps, signs([gap for _, gap in gaps]), strict=True)
    ]
    header = ("language", "cost", "MorphMark z", "KGW z", "less MorphMark", "STELA z", "less MorphMark")
    return f"""**At equal perplexity.** MorphMark takes the red tokens out wherever the green ones have a probability of 0.53 or
more, so its mean bias ({_between(biases)} nats, measured) says nothing beside the others'. Here KGW and STELA are taken at
MorphMark's cost: the rise of log-perplexity under `{judge_of(run)}`, nats a token, that its default setting (factor 1.30)
has; z at {length} tokens, interpolated over the grid of strengths. The intervals of z are over prompts and keys and take
the costs as measured; those of the costs are wide beside the differences.

![z against perplexity](results/strength.svg)

{table(header, rows)}
Corrected for the {len(gaps)} comparisons of this table (Holm): {"; ".join(told) or "none could be made"}.

What each strength costs, and what it shows, at {length} tokens:

{table(("language", "scheme", "mean bias", "mean z", "rise of log-perplexity"), costs)}"""


def _between(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return low if low == high else f"{low} to {high}"


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
