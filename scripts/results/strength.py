"""At equal mean bias, and at equal perplexity: the comparison that sets the others right."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scripts.results.figures import panels
from scripts.results.intervals import Estimate, difference, estimate
from scripts.results.markdown import cell, listed, table
from scripts.results.reading import LANGUAGES, Floats, Run, paired

BIAS = 1.0
COST = 0.15
"""Of log-perplexity under the other model, nats a token: about 16 % more perplexity."""


def section(run: Run, figures: Path) -> str:
    """The section of docs/results.md."""
    lengths = run.experiment["lengths"]
    longest = lengths[-1]
    rows, verdicts = [], {1: [], 0: [], -1: []}
    for language in run.languages:
        for length in lengths:
            kgw = run.scores(language, f"kgw mean_bias={BIAS}", length)
            stela = run.scores(language, f"stela mean_bias={BIAS}", length)
            prompts, values = paired(stela, kgw)
            gap = difference(prompts, values)
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
    return f"""At a mean applied bias of {BIAS:g} nats (measured: {"; ".join(biases)}), grouped z, {
        _texts(run)
    } texts
a cell. "Difference" is STELA less KGW in mean z, with a 95 % bootstrap interval over prompts.

{
        table(
            ("language", "tokens", "KGW z", "STELA z", "difference", "KGW found at p ≤ 0.01", "STELA found"),
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


def _curves(run: Run, figures: Path, length: int) -> str:
    """Z against cost in perplexity, and z of all three at one cost."""
    lines: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    rows, verdicts = [], []
    for language in run.languages:
        lines[language] = {}
        for name in ("kgw", "stela", "morphmark"):
            points = [
                (cost["value"], _mean_z(run, language, label, length))
                for label in _family(run, name)
                if (
                    cost := run.value(
                        "log-perplexity-difference", language=language, label=label, length=length
                    )
                )
            ]
            points.sort()
            lines[language][name] = ([x for x, _ in points], [y for _, y in points])
        at = {n: _at_cost(run, language, n, length) for n in ("kgw", "stela", "morphmark")}
        rows.append(
            (LANGUAGES[language], *(("outside the grid" if e is None else str(e)) for e in at.values()))
        )
        gap = _gap_at_cost(run, language, length, "stela", "kgw")
        morph = _gap_at_cost(run, language, length, "stela", "morphmark")
        verdicts.append(
            f"{LANGUAGES[language]}: STELA less KGW {gap if gap else 'not comparable'}, "
            f"STELA less MorphMark {morph if morph else 'not comparable'}"
        )
    panels(
        figures / "strength.svg", lines, "rise of log-perplexity (nats a token)", f"mean z, {length} tokens"
    )
    header = ("language", "KGW z", "STELA z", "MorphMark z")
    return f"""**At equal perplexity.** MorphMark's bias has a cap that makes its mean mean little, so here all three are
compared at the same cost: a rise of log-perplexity under `tiny-small` of {COST:g} nats a token, z at {length} tokens
interpolated between the grid's points (MorphMark with its factor k from 0.1 to the paper's 1.3); the intervals are
over prompts and take the costs as measured.

![z against perplexity](results/strength.svg)

{table(header, rows)}
{". ".join(verdicts)}.
"""


def _mean_z(run: Run, language: str, label: str, length: int) -> float:
    return float(np.mean([z for z, _ in run.scores(language, label, length).values()]))


def _points(run: Run, language: str, name: str, length: int) -> tuple[list[float], list[str]]:
    found = []
    for label in _family(run, name):
        cost = run.value("log-perplexity-difference", language=language, label=label, length=length)
        if cost is not None:
            found.append((cost["value"], label))
    found.sort()
    return [x for x, _ in found], [label for _, label in found]


def _interpolated(costs: list[float], means: Floats) -> Floats:
    """Z at ``COST`` of means (points, resamples)."""
    after = int(np.searchsorted(costs, COST))
    share = (COST - costs[after - 1]) / (costs[after] - costs[after - 1])
    found: Floats = (1 - share) * means[after - 1] + share * means[after]
    return found


def _inside(costs: list[float]) -> bool:
    return bool(costs) and costs[0] <= COST <= costs[-1]


def _at_cost(run: Run, language: str, name: str, length: int) -> Estimate | None:
    costs, labels = _points(run, language, name, length)
    if not _inside(costs):
        return None
    prompts, values = paired(*(run.scores(language, label, length) for label in labels))
    return estimate(prompts, values, lambda means: _interpolated(costs, means))


def _gap_at_cost(run: Run, language: str, length: int, one: str, other: str) -> Estimate | None:
    first, second = (_points(run, language, name, length) for name in (one, other))
    if not (_inside(first[0]) and _inside(second[0])):
        return None
    cut = len(first[1])
    prompts, values = paired(*(run.scores(language, label, length) for label in [*first[1], *second[1]]))
    return estimate(
        prompts,
        values,
        lambda m: _interpolated(first[0], m[:cut]) - _interpolated(second[0], m[cut:]),
    )
