"""At equal mean bias, and at equal perplexity: the comparison that sets the others right."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression

from scripts.results.figures import panels
from scripts.results.intervals import estimate
from scripts.results.markdown import cell, listed, table
from scripts.results.reading import LANGUAGES, Run, paired
from stela_core.statistics.bootstrap import Floats

BIAS = 1.0


def section(run: Run, figures: Path) -> str:
    """The section of docs/results.md."""
    lengths = run.experiment["lengths"]
    longest = lengths[-1]
    rows = []
    verdicts: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for language in run.languages:
        for length in lengths:
            kgw = run.scores(language, f"kgw mean_bias={BIAS}", length)
            stela = run.scores(language, f"stela mean_bias={BIAS}", length)
            plain = [
                run.scores(language, f"{s} mean_bias={BIAS}", length, kind="model") for s in ("stela", "kgw")
            ]
            prompts, values = paired(stela, kgw, *plain)
            gap = estimate(prompts, values, lambda m: m[0] - m[1] - (m[2] - m[3]))
            verdicts[gap.sign].append(f"{LANGUAGES[language]} at {length}")
            found = [
                cell(
                    run.value("tpr@p<=0.01", language=language, label=f"{s} mean_bias={BIAS}", length=length)
                )
                for s in ("kgw", "stela")
            ]
            rows.append(
                (
                    LANGUAGES[language],
                    str(length),
                    f"{values[1].mean():.2f}",
                    f"{values[0].mean():.2f}",
                    f"{values[3].mean():.2f} / {values[2].mean():.2f}",
                    str(gap),
                    *found,
                )
            )
    biases = [
        f"{LANGUAGES[language]} {s} "
        + cell(run.value("bias", language=language, label=f"{s} mean_bias={BIAS}", length=longest))
        for language in run.languages
        for s in ("kgw", "stela")
    ]
    return f"""At a mean applied bias of {BIAS:g} nat (measured: {"; ".join(biases)}), grouped z, {
        _texts(run)
    } texts
a cell. All texts of a run are marked under one key, and a key has a shift of its own on text that repeats
itself: "unmarked" is the mean z of the same model's unmarked text under this key (KGW / STELA), 0 over many keys. The
"net difference" is STELA less KGW in mean z, less the same difference of the unmarked texts, paired by prompt, with a
95 % bootstrap interval over prompts. Shares found are as they are, shift included.

{
        table(
            (
                "language",
                "tokens",
                "KGW z",
                "STELA z",
                "unmarked",
                "net difference",
                "KGW found at p ≤ 0.01",
                "STELA found",
            ),
            rows,
        )
    }
**STELA beats KGW** in: {listed(verdicts[1])}. **KGW beats STELA** in: {listed(verdicts[-1])}. No difference
is seen in: {listed(verdicts[0])}.

{_curves(run, figures, longest)}"""


def _texts(run: Run) -> int:
    return max(len(run.scores(code, run.labels[0], run.experiment["lengths"][0])) for code in run.languages)


def _family(run: Run, name: str) -> list[str]:
    return [label for label in run.labels if label.split(" ")[0] == name]


def _cost(run: Run, language: str, label: str, length: int) -> dict[str, Any] | None:
    return run.value("log-perplexity-difference", language=language, label=label, length=length)


class Curve(NamedTuple):
    """z of one scheme as a function of its cost in perplexity."""

    costs: list[float]
    """Ascending: smoothed by isotonic regression, for the perplexities of so few texts are noisy."""
    cells: list[dict[tuple[int, str], tuple[float, float]]]
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
        found: Floats = (1 - share) * means[after - 1] + share * means[after]
        return found


def _at(curve: Curve, cost: float, means: Floats) -> Floats:
    """Z of a curve at a cost; the last of the means is the reference's."""
    return curve.at(cost, means[:-1])


def _ahead(curve: Curve, cost: float, means: Floats) -> Floats:
    """What a curve has at a cost beyond the reference."""
    gap: Floats = curve.at(cost, means[:-1]) - means[-1]
    return gap


def _curves(run: Run, figures: Path, length: int) -> str:
    """Z against cost in perplexity, and all three at MorphMark's cost."""
    lines: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    rows, verdicts = [], []
    for language in run.languages:
        lines[language] = {}
        for name in ("kgw", "stela"):
            curve = Curve.of(run, language, name, length)
            lines[language][name] = (curve.costs, [_mean(cell) for cell in curve.cells])
        morphmark = _family(run, "morphmark")[-1]
        cost = _cost(run, language, morphmark, length)
        reference = run.scores(language, morphmark, length)
        if cost is None:
            continue
        lines[language]["morphmark"] = ([cost["value"]], [_mean(reference)])
        found = [f"{_mean(reference):.2f}"]
        for name in ("kgw", "stela"):
            curve = Curve.of(run, language, name, length)
            if cost["value"] > curve.costs[-1]:
                found += ["beyond the grid", "–"]
                continue
            prompts, values = paired(*curve.cells, reference)
            value = cost["value"]
            at = estimate(prompts, values, partial(_at, curve, value))
            gap = estimate(prompts, values, partial(_ahead, curve, value))
            found += [str(at), str(gap)]
            word = {1: "more than", -1: "less than", 0: "as much as"}[gap.sign]
            verdicts.append(f"{name.upper()} finds {word} MorphMark in {LANGUAGES[language]}")
        rows.append((LANGUAGES[language], cell(cost, 3), *found))
    panels(
        figures / "strength.svg", lines, "rise of log-perplexity, nats a token", f"mean z, {length} tokens"
    )
    header = ("language", "cost", "MorphMark z", "KGW z", "less MorphMark", "STELA z", "less MorphMark")
    return f"""**At equal perplexity.** MorphMark takes the red tokens out wherever the green ones have a probability of 0.53 or
more, so its mean bias (8 to 9 nats, measured) says nothing beside the others'. Here KGW and STELA are taken at
MorphMark's cost: the rise of log-perplexity under `tiny-small`, nats a token, that its default setting (factor 1.30)
has; z at {length} tokens, interpolated over the grid of strengths. The intervals of z are over prompts and take the
costs as measured; those of the costs are wide beside the differences, and a cost near 0 says that {_texts(run)} texts of
a small model cannot tell it.

![z against perplexity](results/strength.svg)

{table(header, rows)}
{". ".join(verdicts)}.
"""


def _mean(scores: dict[tuple[int, str], tuple[float, float]]) -> float:
    return float(np.mean([z for z, _ in scores.values()]))
