"""KGW and STELA at equal mean bias: the comparison that sets the others right."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results.intervals import difference, mean, signs
from stela_paper.results.markdown import cell, listed, share, table
from stela_paper.results.reading import LANGUAGES, Run

BIAS = 1.0
HEADER = (
    "language",
    "tokens",
    "KGW z",
    "STELA z",
    "difference",
    "KGW found at p ≤ 0.01",
    "STELA found",
    "size KGW",
    "size STELA",
    "unmarked z",
    "mean bias KGW",
    "STELA",
)


def section(run: Run, _figures: Path) -> str:
    """The table, and what it says; it draws nothing."""
    rows, gaps, places, nulls = [], [], [], []
    graded = [(f"{name} mean_bias={BIAS}", name) for name in ("kgw", "stela")]
    # A strength stands in the label only where there are several.
    kgw, stela = (label if label in run.labels else alone for label, alone in graded)
    for language in run.languages:
        for length in run.experiment["lengths"]:
            pairs = run.paired(run.scores(language, stela, length), run.scores(language, kgw, length))
            null = [
                mean(run.paired(run.scores(language, label, length, kind="model"))) for label in (kgw, stela)
            ]
            gap = difference(pairs)
            gaps.append(gap)
            nulls += null
            places.append(f"{LANGUAGES[language]} at {length}")
            z_stela, z_kgw = pairs.means
            where = {"language": language, "length": length}
            by_label = [
                cell(run.value(name, label=label, **where))
                for name in ("tpr@p<=0.01", "bias")
                for label in (kgw, stela)
            ]
            sizes = [share(run.size(language, label, length)) for label in (kgw, stela)]
            unmarked = " / ".join(str(one) for one in null)
            rows.append(
                (
                    LANGUAGES[language],
                    str(length),
                    f"{z_kgw:.2f}",
                    f"{z_stela:.2f}",
                    str(gap),
                    *by_label[:2],
                    *sizes,
                    unmarked,
                    *by_label[2:],
                )
            )
    told = signs(gaps)
    ahead, behind, alike = (
        [place for place, sign in zip(places, told, strict=True) if sign == wanted] for wanted in (1, -1, 0)
    )
    off = sum(sign != 0 for sign in signs(nulls))
    return f"""At a mean applied bias of {BIAS:g} nat, grouped z, {_texts(run)} texts a cell, each under a key of its own. "Size"
is the share of the tests of unmarked text (people's and the model's, {run.experiment["keys"]} keys each) with p ≤ 0.01: where it
differs, shares found compare unlike tests. "Unmarked z" is the mean z of the model's own unmarked text under the same
keys (KGW / STELA): over many keys it is 0, so nothing is subtracted any more; {off} of these {len(nulls)} means differ from 0
(Holm, for all of them).

{table(HEADER, rows)}
Corrected for the {len(gaps)} comparisons of this table (Holm, 5 % for any mistake): **STELA beats KGW** in: {listed(ahead)}.
**KGW beats STELA** in: {listed(behind)}. Not told apart: {listed(alike)}.
"""


def _texts(run: Run) -> int:
    return max(len(run.scores(code, run.labels[0], run.experiment["lengths"][0])) for code in run.languages)
