"""The pages docs/results.md and docs/results-NAME.md: kept files of the runs, and the pages written of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stela_paper.results import (
    claims,
    equal_bias,
    grids,
    kept,
    paper_figures,
    sentences,
    simple,
    strength,
    weight_sentences,
    weights,
)
from stela_paper.results.grids import Rows
from stela_paper.results.kept import EMBEDDED, Model, Section, folder_of
from stela_paper.results.markdown import listed, table
from stela_paper.results.reading import Run
from stela_paper.results.summary import summary

Measured = Callable[[Run, Path], dict[str, Rows]]
Said = Callable[[Section], str]

SECTIONS: dict[str, tuple[str, Measured, Said]] = {
    "detection": ("", simple.detection, sentences.detection),
    "equal-bias": ("", equal_bias.measured, sentences.equal_bias),
    "strength": ("", strength.measured, sentences.strength),
    "perplexity": ("", simple.perplexity, sentences.perplexity),
    "context-length": ("", simple.contexts, sentences.contexts),
    "tagset": (
        "TPR at 5 % FPR of universal, then own tags (Llama): .948, .938 (English); .976, .976 (Chinese); .928, .950 "
        "(Korean). Its means of lambda: [tag sets](tagsets.md).",
        simple.contexts,
        sentences.contexts,
    ),
    "decomposition": ("", simple.classes, sentences.classes),
    "attacks": (
        "best F1 stays above .85 with 10 to 50 % of the words replaced. After Dipper (English, Llama, lexical diversity "
        "10, 20, 40, 50) it is .862, .869, .813, .825, of .953 before.",
        simple.attacks,
        sentences.attacks,
    ),
    "scaling": (
        "from Qwen3-0.6B to 4B, TPR at 5 % FPR goes from .978 to .996 (English), .996 to .998 (Chinese), .950 to .980 "
        "(Korean).",
        simple.scaling,
        sentences.scaling,
    ),
    "freedom": ("", simple.freedom, sentences.freedom),
    "null": (
        f"mean and sd of z of 500 unmarked texts: {paper_figures.unmarked()}.",
        simple.null,
        sentences.null,
    ),
}
"""What the paper reports beyond its claims, what is kept of a run, and what is said of that; by name of the experiment."""

CLOSING = ("weights", "transfer")
"""One of them stands behind the section ``strength``."""

NOTES = {
    "detection": """The paper's calibration gives real text more than [delta](statistics.md#matched-strength). Near 1.00 a ceiling hides
differences. With few tokens p-values move in steps, so TPR at a measured rate of false alarms compares schemes more fairly.""",
    "strength": """MorphMark's mean bias [does not compare](schemes.md#parameters) with the others'. So KGW and STELA are taken at the rise of
log-perplexity that its default has. The intervals take that cost as measured; its own interval is wide.""",
    "attacks": """WordNet reaches about 36 % of the words of human text.""",
    "freedom": """Where lambda's r is below 0, grammar's freedom is not the model's. After a tag that many tags can follow, the next word is
often certain.""",
    "null": """The test counts a repeated pair of tokens once, plain z each time. One fixed key has its own rate
([statistics](statistics.md)).""",
}
"""What holds for every model; by name of the experiment. The first page has it, and the paper's figures."""

PAPER_TABLE = "paper-table.csv"

READING = """## How to read this page

- Brackets hold 95 % intervals. "60 prompts" are 60 in each language.
- Bold marks a measurable difference, after [Holm](glossary.md#holm)'s correction for as many comparisons as the caption says, some of
  them only in the file.
- Each caption links all figures and names the [command](experiments.md).
"""

PROTOCOL = """## How was it measured?

- Seed and prompt draw each text's key, the same under every scheme: comparisons are paired.
- Intervals are bootstrap intervals over prompts and their keys.
- Equal strength: a pilot on other draws sets delta. The files show the mean bias that was then measured.
- The first 100 prompts of each language are for choosing, the others for judging. That split is younger than the shipped
  tables: `learned-text`'s target and smoothing were chosen on texts after all 300 prompts, under other keys and draws.

**Differences from the paper.** [Tags and scored tokens](schemes.md#parameters) differ. p-values are exact; the paper
takes z as normal. Taggers, tables, prompts and models differ, too.
"""


@dataclass(frozen=True)
class Subject:
    """The model that a page is about."""

    name: str
    """Its short name."""
    words: str
    """Its name and size, in words."""

    @property
    def embedded(self) -> bool:
        """Whether it is the one that comes with the project."""
        return self.name == EMBEDDED

    @property
    def page(self) -> str:
        """File of its page."""
        return "results.md" if self.embedded else f"results-{self.name}.md"


TINY = Subject(EMBEDDED, "`tiny` (6 M parameters)")


def write_page(
    runs: dict[str, Run],
    transfers: dict[str, Run],
    docs: Path,
    texts: str,
    subject: Subject = TINY,
) -> Path:
    """Keep what a model's runs say, and write all pages; the model's.

    Records of experiments that are not among the runs are kept.

    Args:
        runs: by name of the experiment file.
        transfers: runs of the experiment ``weights`` on other models, by name of the model.
        docs: the folder.
        texts: which prompts and human texts were used.
        subject: the model.
    """
    models = kept.load_models(docs)
    model = models.get(subject.name, Model(subject.words, subject.page, texts))
    model = replace(model, model=subject.words, texts=texts)
    figures = docs / folder_of(subject.name)
    for name, (_, measured, _) in SECTIONS.items():
        if name in runs:
            tables = measured(runs[name], figures)
            model.sections[name] = kept.keep(docs, subject.name, name, runs[name], tables)
    for name in CLOSING:
        if name in runs:
            tables = weights.measured(runs[name], figures, transfers)
            model.sections[name] = kept.keep(docs, subject.name, name, runs[name], tables)
    kept.save_models(docs, {**models, subject.name: model})
    write_pages(docs)
    return docs / subject.page


def write_pages(docs: Path) -> list[Path]:
    """Write the page of every model that has kept files, from those; the pages."""
    models = kept.load_models(docs)
    sections = {name: kept.sections_of(docs, name, model) for name, model in models.items()}
    if any("detection" in of for of in sections.values()):
        grids.save(docs / folder_of(EMBEDDED) / PAPER_TABLE, _rates(models, sections))
    for name, model in models.items():
        text = _page(Subject(name, model.model), models, sections)
        (docs / model.page).write_text(text, encoding="utf-8")
    return [docs / model.page for model in models.values()]


def _page(
    subject: Subject, models: Mapping[str, Model], sections: Mapping[str, Mapping[str, Section]]
) -> str:
    own = sections[subject.name]
    filled = {name: {one: of for one, of in some.items() if not of.empty} for name, some in sections.items()}
    columns = {
        one.model if name == subject.name else f"[{one.model}]({one.page})": filled[name]
        for name, one in models.items()
    }
    first = models[next(iter(models))]
    other = None if first.page == models[subject.name].page else first.page
    parts = [
        f"# {'Results' if subject.embedded else f'Results: {subject.words}'}\n",
        summary(filled[subject.name]),
        _head(subject, models[subject.name].texts, first if other else None),
        "" if other else READING,
        "" if other else _claims(columns),
    ]
    for name, (reported, _, said) in SECTIONS.items():
        if name in own:
            parts.append(_section(own[name], said))
            if name == "detection" and name in filled[subject.name] and not other:
                parts.append(_averages(models, filled))
            parts.append("" if other else _for_every_model(name, reported))
        closing = next((one for one in CLOSING if one in own), None)
        if name == "strength" and closing is not None:
            parts.append(_section(own[closing], weight_sentences.weights))
    parts += ["" if other else PROTOCOL, _not_run(own, other)]
    text = "\n".join(part.rstrip("\n") + "\n" for part in parts if part)
    return text.replace("](results/", f"]({folder_of(subject.name)}/").replace(
        f"]({folder_of(subject.name)}/{PAPER_TABLE}", f"](results/{PAPER_TABLE}"
    )


def _head(subject: Subject, texts: str, first: Model | None) -> str:
    option = "" if subject.embedded else " MODEL=FOLDER"
    about = f"Texts: {texts.removeprefix('on ')}."
    if subject.embedded:
        about = f"""A model this small writes text of higher [entropy](glossary.md#entropy) than a large model: marks are found sooner, and gains
of weights are smaller. {about}"""
    if first:
        same = first.texts == texts
        about = f"""[Results]({first.page}) tells how to read the tables, which of [the paper's claims]({first.page}#the-papers-claims) hold, and how it was measured{", on the same texts" if same else ""}.
{"" if same else about}""".rstrip()
    return f"""`make paper{option}` runs the STELA paper's experiments, and more, on {subject.words}, and writes such a page.
{about}
"""


def _claims(columns: Mapping[str, Mapping[str, Section]]) -> str:
    """The paper's claims with every model's answers: only on the first page."""
    said = 'Park et al., ACL 2026. "Yes" and "no": seen here or not. Three figures are those of English, Chinese, Korean.'
    return f"## The paper's claims\n\n{said}\n\n{claims.claims_table(columns)}"


def _section(section: Section, said: Said) -> str:
    body = f"No cell succeeded: {listed(section.about.failed)}.\n" if section.empty else said(section)
    return f"## {section.about.title}\n\n{body}"


def _for_every_model(name: str, reported: str = "") -> str:
    """What holds for every model, and what the paper reports."""
    paper = f"The paper: {reported}" if reported else ""
    return "\n".join(part for part in (NOTES.get(name, ""), paper) if part)


def _not_run(own: Mapping[str, Section], other: str | None) -> str:
    left = listed([f"`{name}.toml`" for name in SECTIONS if name not in own])
    ready = "" if left == "none" else f"Not run, but ready: {left}."
    if other:
        return f"## Not run here\n\n{ready}\n" if ready else ""
    return (
        "## Not run here\n\n`dipper.toml` needs an 11 B paraphraser, `judge.toml` an endpoint and a key. Their code is "
        f"tested on small models and a local server; there are no results. {ready}".rstrip()
        + "\n"
    )


def _averages(models: Mapping[str, Model], sections: Mapping[str, Mapping[str, Section]]) -> str:
    """Mean TPR at 5 % FPR over languages, the paper's and those of the models here."""
    columns = {"the paper, three models": paper_figures.averages()}
    shown = {name: {one.lower(): f"{rate:.3f}" for one, rate in of.items()} for name, of in columns.items()}
    for name, of in sections.items():
        for row in of["detection"].tables["mean"] if "detection" in of else ():
            heading = f"{models[name].model.partition(',')[0]}, {row['tokens']} tokens"
            shown.setdefault(heading, {})[row["scheme"]] = row[sentences.MEAN]
    rows = [(one, *(of.get(one.lower(), "–") for of in shown.values())) for one in paper_figures.SCHEMES]
    return f"{table(('', *shown), rows)}\n*TPR at 5 % FPR, mean over languages; delta 2. By language: [{PAPER_TABLE}](results/{PAPER_TABLE}).*\n"


def _rates(models: Mapping[str, Model], sections: Mapping[str, Mapping[str, Section]]) -> Rows:
    """The paper's table of detection, and below it the same of the models here."""
    rows = paper_figures.detection()
    for name, of in sections.items():
        for row in of["detection"].tables.get("rates", ()) if "detection" in of else ():
            scheme = {one.lower(): one for one in paper_figures.SCHEMES}.get(row["scheme"], row["scheme"])
            rows.append({**row, "model": models[name].model, "scheme": scheme})
    columns = list(rows[0])
    return [{column: row[column] for column in columns} for row in rows]
