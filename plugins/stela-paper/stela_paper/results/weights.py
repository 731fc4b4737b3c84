"""How much of the way from uniform weights to those of the model each public weight closes."""

from __future__ import annotations

from pathlib import Path

from stela_paper.results.figures import panels
from stela_paper.results.intervals import Estimate, difference, share_of_the_way, signs
from stela_paper.results.markdown import cell, listed, table
from stela_paper.results.reading import LANGUAGES, Run

FLOOR = "kgw"
GOALS = {"kgw+ewd": "EWD", "kgw+ewd-gain": "expected gain"}
"""Weights that need the model's logits. Neither is a bound; the second finds more."""

PUBLIC = {
    "kgw+stela": "lambda (STELA)",
    "kgw+lexical-tags": "tag entropy, not normalised",
    "kgw+learned": "`learned`: expected gain by the last 3 tags",
    "kgw+learned-text": "`learned-text`: expected gain by the last characters",
}
GOAL = 0.75
OWN = ("stela", "learned-text")

MODELS = {
    "tiny-small": "`tiny-small` (1.3 M parameters, 4,096 tokens)",
    "wide": "`wide` (4.9 M parameters, 16,384 tokens; made by stela-tiny's script, not shipped)",
}
"""Other models, in words."""


def section(run: Run, figures: Path, transfers: dict[str, Run]) -> str:
    """The section of docs/results.md; ``transfers`` are runs of other models by name."""
    length = run.experiment["lengths"][-1]
    public = {label: name for label, name in PUBLIC.items() if label in run.labels}
    names = {FLOOR: "uniform", **public, **{label: f"{name}, with logits" for label, name in GOALS.items()}}
    rows = [
        (name, *(_cell(run, code, label, length) for code in run.languages)) for label, name in names.items()
    ]
    values = {
        code: {label: _share(run, code, label, length).value for label in public} for code in run.languages
    }
    best = {code: max(public, key=of.__getitem__) for code, of in values.items()}
    told = [f"{PUBLIC[best[code]].partition(':')[0]} in {LANGUAGES[code]}" for code in run.languages]
    reached = [LANGUAGES[code] for code in run.languages if values[code][best[code]] >= GOAL]
    missed = [LANGUAGES[code] for code in run.languages if values[code][best[code]] < GOAL]
    curves = len(run.experiment["lengths"]) > 1
    if curves:
        _figure(run, figures, public)
    parts = [
        f"""One text, marked with uniform strength (mean bias 1.25), weighed in every way: mean grouped z at {length} tokens;
after the colon the share of the way from uniform weights to EWD; and after the semicolon that to the expected gain, read
off the same logits ({_count(run, length)} texts a language, each under a key of its own, 95 % bootstrap intervals over prompts and
the keys drawn with them). EWD is no bound: mean z by the expected gain less that by EWD is {_beyond(run, length)}.

{table(("weight at detection", *(LANGUAGES[code] for code in run.languages)), rows)}
The goal of {GOAL:.0%} of the way to EWD is reached in: {listed(reached)}; missed in: {listed(missed)}. The best public weight is
{listed(told)}.
"""
    ]
    if curves:
        parts.append("![share of the way](results/weights.svg)\n")
    if any(label in run.labels for label in OWN):
        parts.append(
            "**Marked by its own weights**, at the same mean bias (each delta set by a pilot so that it is 1.25, "
            f"KGW's too):\n\n{_own(run, length)}"
        )
    if transfers:
        parts.append(
            "**Another model.** Tables learned with `tiny`, text written by a model of another size and another "
            "tokenizer; shares of\nthe way to EWD; to the expected gain:\n\n"
            f"{_transfer(transfers)}"
        )
    return "\n".join(parts)


def _beyond(run: Run, length: int) -> str:
    """What the second goal has beyond the first."""
    gaps = [
        difference(run.paired(*(run.scores(code, goal, length) for goal in reversed(GOALS))))
        for code in run.languages
    ]
    told = zip(run.languages, gaps, signs(gaps), strict=True)
    return "; ".join(f"{LANGUAGES[c]} {gap}{'' if sign else ' (not told apart)'}" for c, gap, sign in told)


def _count(run: Run, length: int) -> int:
    return len(run.scores(run.languages[0], FLOOR, length))


def _z(run: Run, language: str, label: str, length: int) -> float:
    return run.paired(run.scores(language, label, length)).means[0]


def _share(run: Run, language: str, label: str, length: int, goal: str = "kgw+ewd") -> Estimate:
    cells = [run.scores(language, name, length) for name in (label, FLOOR, goal)]
    return share_of_the_way(run.paired(*cells))


def _shares(run: Run, language: str, label: str, length: int) -> str:
    """Of the way to each goal; one by definition where it is the goal itself."""
    return "; ".join(
        "1" if label == goal else "0" if label == FLOOR else str(_share(run, language, label, length, goal))
        for goal in GOALS
    )


def _cell(run: Run, language: str, label: str, length: int) -> str:
    return f"{_z(run, language, label, length):.2f}: {_shares(run, language, label, length)}"


def _own(run: Run, length: int) -> str:
    rows, gaps, places = [], [], []
    for code in run.languages:
        uniform = run.scores(code, FLOOR, length)
        for label in (FLOOR, *(one for one in OWN if one in run.labels)):
            bias = run.value("bias", language=code, label=label, length=length)
            gap = difference(run.paired(run.scores(code, label, length), uniform))
            less = "" if label == FLOOR else str(gap)
            rows.append(
                (LANGUAGES[code], f"`{label}`", cell(bias), f"{_z(run, code, label, length):.2f}", less)
            )
            if label != FLOOR:
                gaps.append(gap)
                places.append(f"`{label}` in {LANGUAGES[code]}")
    told = list(zip(places, signs(gaps), strict=True))
    ahead, behind = ([place for place, sign in told if sign == wanted] for wanted in (1, -1))
    header = ("language", "strength and weight", "mean bias", "z", "less uniform")
    return f"""{table(header, rows)}
Corrected for the {len(gaps)} comparisons of this table (Holm): more than uniform: {listed(ahead)}; less: {listed(behind)}.
"""


def _transfer(transfers: dict[str, Run]) -> str:
    rows = []
    for name, run in transfers.items():
        length = run.experiment["lengths"][-1]
        rows += [
            (
                MODELS.get(name, name),
                f"`{label[4:]}`",
                *(_shares(run, c, label, length) for c in run.languages),
            )
            for label in ("kgw+learned", "kgw+learned-text")
        ]
    codes = next(iter(transfers.values())).languages if transfers else list(LANGUAGES)
    return table(("model", "weight", *(LANGUAGES[code] for code in codes)), rows)


def _figure(run: Run, figures: Path, public: dict[str, str]) -> None:
    lengths = run.experiment["lengths"]
    lines, bands = {}, {}
    for code in run.languages:
        shares = {
            name.split(":")[0].replace("`", ""): [_share(run, code, label, n) for n in lengths]
            for label, name in public.items()
        }
        lines[code] = {name: (lengths, [one.value for one in of]) for name, of in shares.items()}
        bands[code] = {
            name: ([one.low for one in of], [one.high for one in of]) for name, of in shares.items()
        }
    panels(figures / "weights.svg", lines, "tokens", "share of the way to EWD", bands)
