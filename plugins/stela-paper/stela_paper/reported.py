"""The tables, figures and other results of the STELA paper, and the experiment that measures each here."""

from __future__ import annotations

from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from stela_core import StelaError
from stela_core.api import did_you_mean


class Reported(NamedTuple):
    """A result that the paper reports (Park et al., ACL 2026)."""

    name: str
    """What ``--table`` calls it."""
    what: str
    """What it shows."""
    experiment: str
    """File that measures it here."""
    minutes: int | None = None
    """Minutes on Gemma 3 270M, as its page of results says; ``None`` where it was not run."""
    needs: str = ""
    """What a user has to bring."""


REPORTED = (
    Reported("1", "detection: TPR at 5 % FPR and best F1, five schemes", "detection", 187),
    Reported("2", "tags of the language against universal ones", "tagset", 31),
    Reported("figure-2", "perplexity of marked text", "perplexity", 7),
    Reported("figure-3", "length of the context of tags, k = 2 to 5", "context-length", 28),
    Reported("synonyms", "best F1 after words are replaced by synonyms", "attacks", 40),
    Reported("dipper", "best F1 after Dipper's paraphrases", "dipper", None, "the 11 B paraphraser, a GPU"),
    Reported("word-classes", "share of z of content and function words", "decomposition", 17),
    Reported("sizes", "detection by the size of the model", "scaling"),
    Reported("entropy", "lambda and the model's entropy, by sentence", "freedom", 64),
    Reported("unmarked", "mean and spread of z of unmarked text", "null", 16),
    Reported(
        "judge", "a judge's choice of marked or unmarked text", "judge", None, "an endpoint and its key"
    ),
)
"""The two numbered tables and the figures in the paper's order; what stands in its text follows."""


def experiment_of(name: str) -> str:
    """The experiment that measures a result.

    Raises:
        StelaError: the paper has none of this name.
    """
    known = {one.name: one.experiment for one in REPORTED}
    if name not in known:
        hint = did_you_mean(name, known)
        raise StelaError(f'the paper has no result "{name}".', f"{hint}; stela paper --list shows all")
    return known[name]


def print_reported(out: Console) -> None:
    """Print all results, each with its experiment and how long that takes."""
    table = Table("--table", "the paper reports", "experiment", "minutes", "needs", box=None)
    for column in (0, 2):
        table.columns[column].no_wrap = True
    for one in REPORTED:
        minutes = "–" if one.minutes is None else str(one.minutes)
        table.add_row(one.name, one.what, one.experiment, minutes, one.needs)
    out.print(table)
    out.print("stela paper --table NAME runs one, on the embedded model or --model M.")
    out.print("Minutes are those of Gemma 3 270M (docs/results-gemma-3-270m.md); –: not measured.")
