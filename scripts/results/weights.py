"""How much of the way from uniform weights to EWD each public weight closes."""

from __future__ import annotations

from pathlib import Path

from scripts.results.figures import panels
from scripts.results.intervals import Estimate, difference, share_of_the_way
from scripts.results.markdown import cell, listed, table
from scripts.results.reading import LANGUAGES, Run, paired

FLOOR, BOUND = "kgw delta=1.25", "kgw+ewd"
PUBLIC = {
    "kgw+stela": "lambda (STELA)",
    "kgw+lexical-tags": "tag entropy, not normalised",
    "kgw+learned": "`learned`: expected gain by the last 3 tags",
    "kgw+learned-text": "`learned-text`: expected gain by the last characters",
}
GOAL = 0.75

MODELS = {
    "tiny-small": "`tiny-small` (1.3 M parameters, 4,096 tokens)",
    "wide": "`wide` (4.9 M parameters, 16,384 tokens; made by stela-tiny's script, not shipped)",
}
"""Other models, in words."""


def section(run: Run, figures: Path, transfers: dict[str, Run]) -> str:
    """The section of docs/results.md; ``transfers`` are runs of other models by name."""
    length = run.experiment["lengths"][-1]
    shares = {label: {code: _share(run, code, label, length) for code in run.languages} for label in PUBLIC}
    rows = [
        (
            name,
            *(f"{_z(run, code, label, length):.2f}: {shares[label][code]}" for code in run.languages),
        )
        for label, name in PUBLIC.items()
    ]
    floor = ("uniform (the floor)", *(f"{_z(run, c, floor_of(run), length):.2f}: 0" for c in run.languages))
    bound = (
        "EWD with logits (the bound)",
        *(f"{_z(run, c, BOUND, length):.2f}: 1" for c in run.languages),
    )
    values = {c: {label: of[c].value for label, of in shares.items()} for c in run.languages}
    best = {c: max(PUBLIC, key=values[c].__getitem__) for c in run.languages}
    names = [f"{PUBLIC[best[c]].partition(':')[0]} in {LANGUAGES[c]}" for c in run.languages]
    reached = [LANGUAGES[c] for c in run.languages if shares[best[c]][c].value >= GOAL]
    missed = [LANGUAGES[c] for c in run.languages if shares[best[c]][c].value < GOAL]
    _figure(run, figures)
    return f"""One text, marked with uniform strength (delta 1.25), weighed in every way: mean grouped z at {length} tokens,
and after the colon the share of the way from uniform weights to EWD, with a 95 % bootstrap interval over prompts
({_count(run, length)} texts a language, prompts not used for learning).

{table(("weight at detection", *(LANGUAGES[c] for c in run.languages)), [floor, *rows, bound])}
The goal of {GOAL:.0%} is reached in: {listed(reached)}; missed in: {listed(missed)}. The best public weight is
{listed(names)}.

![share of the way](results/weights.svg)

**Marked by its own weights**, at the same mean bias (delta set so that the measured mean bias is 1.25); all under
one key, whose shift is in every z:

{_own(run, length)}
**Another model.** Tables learned with `tiny`, text written by a model of another size and another tokenizer:

{_transfer(transfers)}"""


def floor_of(run: Run) -> str:
    """Label of plain KGW: with or without its delta."""
    return FLOOR if FLOOR in run.labels else "kgw"


def _count(run: Run, length: int) -> int:
    return len(run.scores(run.languages[0], floor_of(run), length))


def _z(run: Run, language: str, label: str, length: int) -> float:
    return float(paired(run.scores(language, label, length))[1].mean())


def _share(run: Run, language: str, label: str, length: int) -> Estimate:
    cells = [run.scores(language, name, length) for name in (label, floor_of(run), BOUND)]
    return share_of_the_way(*paired(*cells))


def _own(run: Run, length: int) -> str:
    rows = []
    for code in run.languages:
        uniform = run.scores(code, floor_of(run), length)
        for label in (one for one in ("stela", "learned", "learned-text") if one in run.labels):
            bias = run.value(
                "bias", language=code, label=label, length=length, seed=run.experiment["seeds"][0]
            )
            own = run.scores(code, label, length)
            gap = difference(*paired(own, uniform))
            rows.append(
                (LANGUAGES[code], f"`{label}`", cell(bias), f"{_z(run, code, label, length):.2f}", str(gap))
            )
    return table(("language", "strength and weight", "mean bias", "z", "less uniform"), rows)


def _transfer(transfers: dict[str, Run]) -> str:
    rows = []
    for name, run in transfers.items():
        length = run.experiment["lengths"][-1]
        rows += [
            (
                MODELS.get(name, name),
                f"`{label[4:]}`",
                *(str(_share(run, c, label, length)) for c in run.languages),
            )
            for label in ("kgw+learned", "kgw+learned-text")
        ]
    codes = next(iter(transfers.values())).languages if transfers else list(LANGUAGES)
    return table(("model", "weight", *(LANGUAGES[c] for c in codes)), rows)


def _figure(run: Run, figures: Path) -> None:
    lengths = run.experiment["lengths"]
    lines, bands = {}, {}
    for code in run.languages:
        found = {
            name.split(":")[0].replace("`", ""): [_share(run, code, label, n) for n in lengths]
            for label, name in PUBLIC.items()
        }
        lines[code] = {name: (lengths, [e.value for e in of]) for name, of in found.items()}
        bands[code] = {name: ([e.low for e in of], [e.high for e in of]) for name, of in found.items()}
    panels(figures / "weights.svg", lines, "tokens", "share of the way to EWD", bands)
