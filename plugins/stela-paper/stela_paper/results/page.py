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
    "detection": (
        "STELA is best on average, not in English: KGW is ahead with Llama-3.2-1B, EWD with Qwen3-0.6B.",
        simple.detection,
        sentences.detection,
    ),
    "equal-bias": ("", equal_bias.measured, sentences.equal_bias),
    "strength": ("", strength.measured, sentences.strength),
    "perplexity": ("", simple.perplexity, sentences.perplexity),
    "context-length": (
        "of k = 2 to 5, k = 2 is best in English, k = 4 in Chinese and Korean.",
        simple.contexts,
        sentences.contexts,
    ),
    "tagset": (
        "TPR at 5 % FPR of universal, then own tags (Llama): .948, .938 (English); .976, .976 (Chinese); .928, .950 "
        "(Korean). Mean of lambda over types: universal 0.686, 0.643, 0.647; own 0.575, 0.523, 0.475.",
        simple.contexts,
        sentences.contexts,
    ),
    "decomposition": (
        "content words carry 43.1 % of z in English (function words 43.7 %), 67.1 % in Chinese, 74.4 % in Korean.",
        simple.classes,
        sentences.classes,
    ),
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
    "freedom": (
        "by sentence r = .351 on generated text (500 English texts of Llama).",
        simple.freedom,
        sentences.freedom,
    ),
    "null": (
        f"mean and sd of z of 500 unmarked texts: {paper_figures.unmarked()}.",
        simple.null,
        sentences.null,
    ),
}
"""What the paper reports, what is kept of a run, and what is said of that; by name of the experiment."""

CLOSING = ("weights", "transfer")
"""One of them stands behind the section ``strength``."""

PAPER_TABLE = "paper-table.csv"

PROTOCOL = """## How was it measured?

- Each text has its own key, drawn by seed and prompt. Texts of one prompt share it under every scheme: comparisons are paired.
- Intervals are bootstrap intervals: prompts are drawn anew, and their keys with them. Unmarked texts have their own keys, too.
- Equal strength: a pilot on other draws sets delta, for every scheme alike. Tables show the mean bias that was then measured.
- [Holm](glossary.md#holm)'s correction is one for each table. Bold marks what is measurable after it.
- The first 100 prompts of each language are for choosing, the others for judging. That split is younger than the shipped
  tables: `learned-text`'s target and smoothing were chosen on texts after all 300 prompts, under other keys and draws.
  The tables and `tiny` saw none of these documents.
- Put a Hugging Face name in place of `tiny` in an experiment file to run the paper's experiment.

**Differences from the paper.** Tags at detection are those of a window before a token, not of the whole text. Tokens are
scored from the second on. Sentences are not cut as its Algorithm 1 does: 3.9 % of English and 8.6 % of Korean tokens have
contexts that it would not have. p-values are exact and count a repeated pair of tokens once; the paper takes z as normal.
Taggers, tables, prompts and models differ.
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

    What is kept of experiments that are not among the runs stays.

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
    parts = [
        _head(subject, models[subject.name].texts),
        summary(filled[subject.name]),
        f'## The paper\'s claims\n\nPark et al., ACL 2026. "Yes" and "no": seen here or not.\n\n'
        f"{claims.claims_table(columns)}",
    ]
    for name, (reported, _, said) in SECTIONS.items():
        if name in own:
            parts.append(_section(own[name], reported, said))
        if name == "detection" and name in filled[subject.name]:
            parts.append(_averages(models, filled))
        closing = next((one for one in CLOSING if one in own), None)
        if name == "strength" and closing is not None:
            parts.append(_section(own[closing], "", weight_sentences.weights))
    parts += [_protocol(subject), _not_run(own)]
    text = "\n".join(part.rstrip("\n") + "\n" for part in parts if part)
    return text.replace("](results/", f"]({folder_of(subject.name)}/").replace(
        f"]({folder_of(subject.name)}/{PAPER_TABLE}", f"](results/{PAPER_TABLE}"
    )


def _head(subject: Subject, texts: str) -> str:
    title = "Results" if subject.embedded else f"Results: {subject.words}"
    option = "" if subject.embedded else " MODEL=FOLDER"
    about = (
        "A model this small writes text of higher [entropy](glossary.md#entropy) than a large model: marks are found sooner, and gains of "
        "weights are smaller."
        if subject.embedded
        else "The embedded model's page is [results](results.md)."
    )
    return f"""# {title}

`make paper{option}` runs the STELA paper's experiments, and more, on {subject.words}, and writes this page.
{about}
Texts: {texts.removeprefix("on ")}.
"""


def _section(section: Section, reported: str, said: Said) -> str:
    body = f"No cell succeeded: {listed(section.about.failed)}.\n" if section.empty else said(section)
    paper = f"The paper: {reported}\n\n" if reported else ""
    return f"## {section.about.title}\n\n{paper}{body}"


def _protocol(subject: Subject) -> str:
    if subject.embedded:
        return PROTOCOL
    return "## How was it measured?\n\nAs on [the embedded model's page](results.md#how-was-it-measured).\n"


def _not_run(own: Mapping[str, Section]) -> str:
    left = listed([f"`{name}.toml`" for name in SECTIONS if name not in own])
    ready = "" if left == "none" else f" Not run, but ready: {left}."
    return (
        "## Not run here\n\n`dipper.toml` needs an 11 B paraphraser, `judge.toml` an endpoint and a key. Their code is "
        f"tested on small models and a local server; there are no results.{ready}\n"
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
    return (
        f"{table(('', *shown), rows)}\n*TPR at 5 % FPR, mean over languages; delta 2. The paper's own table, and these models' "
        f"rows in the same form: [{PAPER_TABLE}](results/{PAPER_TABLE}).*\n"
    )


def _rates(models: Mapping[str, Model], sections: Mapping[str, Mapping[str, Section]]) -> Rows:
    """The paper's table of detection, and below it the same of the models here."""
    rows = paper_figures.detection()
    for name, of in sections.items():
        for row in of["detection"].tables.get("rates", ()) if "detection" in of else ():
            scheme = {one.lower(): one for one in paper_figures.SCHEMES}.get(row["scheme"], row["scheme"])
            rows.append({**row, "model": models[name].model, "scheme": scheme})
    columns = list(rows[0])
    return [{column: row[column] for column in columns} for row in rows]
