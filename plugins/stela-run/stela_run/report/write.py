"""Write the report of a run into its folder."""

from __future__ import annotations

from pathlib import Path

from stela_core import StelaError
from stela_core.api import write_atomically
from stela_run.report.answer import SUMMARY, Answer, answers, attacked_answers, write_answers
from stela_run.report.attacks import attack_panels, single_panels
from stela_run.report.files import write_csv, write_markdown
from stela_run.report.forest import forest_panels
from stela_run.report.frontier import frontier_panels
from stela_run.report.layout import View
from stela_run.report.null import null_panels
from stela_run.report.page import FOREST, Section, render
from stela_run.report.power import power_panels, roc_panels
from stela_run.report.read import read_run
from stela_run.report.spread import perplexity_panels, z_panels
from stela_run.report.survival import survival_panels
from stela_run.report.table import table

REPORT, FIGURES, CSV, MARKDOWN = "report.html", "figures", "summary.csv", "summary.md"


def write_report(folder: Path) -> None:
    """Write ``report.html``, ``figures/*.svg``, ``summary.json``, ``summary.csv`` and ``summary.md``.

    Only what lies in the folder is read. The same records give the same bytes, but for the section of
    ``report.html`` that tells timings.

    Args:
        folder: of a run whose records are written.

    Raises:
        StelaError: the folder holds no finished run, or cannot be written.
        MissingLibraryError: jinja2, matplotlib or pyarrow is not installed.
    """
    view = View.of(read_run(folder))
    rows = table(view)
    said, attacked = answers(view), attacked_answers(view)
    sections = sections_of(view, said)
    page = render(view, rows, sections, said, attacked)
    _write_figures(folder / FIGURES, sections)
    write_answers(folder / SUMMARY, said, attacked, len(view.run.experiment["models"]) > 1)
    write_csv(folder / CSV, rows, view.strengths)
    write_markdown(folder / MARKDOWN, str(view.run.experiment["title"]), rows, view.strengths)
    write_atomically(folder / REPORT, page.encode("utf-8", "replace"))


def sections_of(view: View, said: list[Answer]) -> list[Section]:
    """All figures."""
    return [
        Section(FOREST, "Differences", "", forest_panels(said)),
        Section(
            "frontier",
            "Evidence against cost",
            "Up and to the left is better, with 95 % intervals. The dashed line joins the schemes that none "
            "beats in both.",
            frontier_panels(view),
        ),
        Section(
            "power",
            "Detection rate against length",
            "Share of marked texts that is found, with 95 % intervals. Points at one length stand apart.",
            power_panels(view),
        ),
        Section(
            "attack",
            "What survives each edit",
            "Share that is still found. Then the same with 95 % intervals: next to the rate before, or, "
            "where an attack grows stronger, as a curve, with the rates before as dotted lines.",
            [*survival_panels(view), *single_panels(view), *attack_panels(view)],
        ),
        Section(
            "null",
            "p-values of unmarked text",
            "Quantiles of the p-values against those of a uniform distribution. On the line or below it a "
            "p-value keeps its promise. The band holds 95 % of independent tests at each point; tests of one "
            "text under several keys, and of texts under one key, are not quite independent.",
            null_panels(view),
        ),
        Section(
            "roc",
            "ROC curves",
            "The false positive rate is logarithmic, as only small ones are of use; dots are chance. "
            "Left of one over the number of tests of human text nothing is known.",
            roc_panels(view),
        ),
        Section(
            "z",
            "Distributions of z",
            "Each row is a scheme; filled: its marked texts, line: the model's unmarked texts, dashed: human "
            "texts. Without a mark z has mean 0 and standard deviation 1.",
            z_panels(view),
        ),
        Section(
            "perplexity",
            "Perplexity",
            "Geometric mean over texts under the model that judges, with 95 % intervals.",
            perplexity_panels(view),
        ),
    ]


def _write_figures(folder: Path, sections: list[Section]) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise StelaError(f'cannot write "{folder}": {error.strerror}.', "choose another -o") from None
    for section in sections:
        for panel in section.panels:
            write_atomically(folder / f"{panel.name}.svg", panel.svg)
