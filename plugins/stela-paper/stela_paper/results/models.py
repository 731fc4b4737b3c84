"""What the runs of each model said, kept beside the pages: a run of one model leaves the others' figures be."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, median

from stela_paper.results import paper_figures
from stela_paper.results.claims import claims_of, claims_table
from stela_paper.results.reading import LANGUAGES, Run

KEPT = Path("results") / "models.json"
"""In the folder of the documentation."""

EMBEDDED = "tiny"
SCHEMES = {"kgw": "KGW", "sweet": "SWEET", "ewd": "EWD", "morphmark": "MorphMark", "stela": "STELA"}


@dataclass(frozen=True)
class ModelFigures:
    """What pages of other models show of one."""

    model: str
    """Its name, in words."""
    page: str
    """File of its page."""
    claims: dict[str, str]
    """What its runs say to each claim of the paper, by the claim's name."""
    tokens: int
    """Length of the texts of the next table."""
    detection: dict[str, list[str]]
    """TPR at 5 % FPR / best F1 in English, Chinese and Korean, by scheme; a dash where it was not run."""


def figures_of(model: str, page: str, runs: dict[str, Run]) -> ModelFigures:
    """From a model's runs, by name of the experiment."""
    run = runs.get("detection")
    if run is None:
        return ModelFigures(model, page, claims_of(runs), 0, {})
    length = _telling_length(run)
    rates = {label: [_rates(run, code, label, length) for code in LANGUAGES] for label in run.labels}
    return ModelFigures(model, page, claims_of(runs), length, rates)


def _telling_length(run: Run) -> int:
    """The longest at which the middle scheme misses one in a hundred; the first where none does."""
    lengths: list[int] = run.experiment["lengths"]
    return max((n for n in lengths if _middle(run, n) < 0.99), default=lengths[0])


def _middle(run: Run, length: int) -> float:
    """The middle scheme's TPR at 5 % FPR, over languages."""
    means = []
    for label in run.labels:
        where = {"label": label, "length": length}
        values = [run.value("tpr@0.05:human", language=code, **where) for code in run.languages]
        means.append(fmean(1.0 if value is None else value["value"] for value in values))
    return median(means)


def _rates(run: Run, language: str, label: str, length: int) -> str:
    where = {"language": language, "label": label, "length": length}
    values = (run.value(name, **where) for name in ("tpr@0.05:human", "f1:human"))
    if language not in run.languages:
        return "–"
    return " / ".join("–" if value is None else f"{value['value']:.3f}".removeprefix("0") for value in values)


def keep(docs: Path, name: str, figures: ModelFigures) -> dict[str, ModelFigures]:
    """Put a model's figures beside those of others, the embedded one's first; all of them, by name.

    What an earlier run said of the model stays where this one says nothing.
    """
    path = docs / KEPT
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    earlier = kept.get(name, {"claims": {}, "tokens": 0, "detection": {}})
    kept[name] = asdict(figures)
    kept[name]["claims"] = {**earlier["claims"], **figures.claims}
    if not figures.detection:
        kept[name] |= {part: earlier[part] for part in ("tokens", "detection")}
    ordered = {one: kept[one] for one in sorted(kept, key=lambda one: (one != EMBEDDED, one))}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {one: ModelFigures(**of) for one, of in ordered.items()}


def claims_of_all(models: dict[str, ModelFigures], page: str) -> str:
    """The paper's claims, with a column for each model; other models' names lead to their pages."""
    named = {
        one.model if one.page == page else f"[{one.model}]({one.page})": one.claims for one in models.values()
    }
    return claims_table(named)


def detection_of_all(models: dict[str, ModelFigures]) -> str:
    """The paper's table of detection, and below it the same of the models here."""
    return paper_figures.detection(
        (f"{one.model}, here, {one.tokens} tokens", SCHEMES.get(label, label), *cells)
        for one in models.values()
        for label, cells in one.detection.items()
    )


def between(text: str, name: str, content: str) -> str:
    """The text with what stands between the marks of that name replaced."""
    marks = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return marks.sub(lambda match: f"{match[1]}\n{content}\n{match[2]}", text)


def marked(name: str, content: str) -> str:
    """Content between marks, so that a run of another model can replace it."""
    return f"<!-- {name} -->\n\n{content}\n<!-- /{name} -->"


def refresh(docs: Path, models: dict[str, ModelFigures]) -> None:
    """Bring what all models' pages share up to date."""
    for one in models.values():
        path = docs / one.page
        if path.exists():
            text = path.read_text("utf-8")
            text = between(text, "claims", claims_of_all(models, one.page))
            text = between(text, "paper's table", detection_of_all(models))
            path.write_text(text, encoding="utf-8")
