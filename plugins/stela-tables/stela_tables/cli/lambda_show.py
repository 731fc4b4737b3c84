"""``stela lambda show``: what an indeterminacy table holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from stela_cli.common import console
from stela_cli.printing import print_json

from stela_tables.cli.gains_show import show_gains
from stela_tables.cli.values_show import show_values
from stela_tables.counts import TREEBANK
from stela_tables.file import read_any_table
from stela_tables.gains.table import GainTable
from stela_tables.table import ContextEntry, IndeterminacyTable
from stela_tables.values import ValueTable


@click.command("show", epilog="\b\nExample:\n  stela lambda show penn.json")
@click.argument("table_file", metavar="TABLE", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, help="Number of contexts to list."
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="List only contexts seen this often.",
)
def lambda_show(table_file: str, as_json: bool, top: int, min_count: int) -> None:
    """Show a table: its means, and its contexts with the largest and the smallest values."""
    table = read_any_table(table_file)
    if isinstance(table, ValueTable):
        show_values(table, top, as_json)
        return
    if isinstance(table, GainTable):
        show_gains(table, as_json)
        return
    facts = facts_of(table)
    highest, lowest = ranked(table, top, min_count)
    if as_json:
        lists = {"top": [as_object(e) for e in highest], "bottom": [as_object(e) for e in lowest]}
        print_json({**facts, **lists})
        return
    out = console()
    grid = Table(box=None, show_header=False)
    tagger = table.tagger
    rows = {
        "k": str(table.k),
        "tagger": f"none: a treebank's own tags, {tagger.version}"
        if tagger.name == TREEBANK
        else f"{tagger.name} ({tagger.version}; fingerprint {tagger.fingerprint})",
        "tag set": tagger.tagset or "not told",
        "tags": str(len(table.tags)),
        "contexts": str(len(table.contexts)),
        "mean over types": f"{table.mean_over_types:.4f}",
        "mean over tokens": f"{table.mean_over_tokens:.4f}",
        "sha256": table.sha256,
    }
    for name, value in rows.items():
        grid.add_row(f"[bold]{name}[/]", escape(value))
    out.print(grid)
    corpora = Table("corpus", "documents", "tags", "n-grams", box=None)
    for corpus in table.corpora:
        corpora.add_row(escape(corpus.name), str(corpus.documents), str(corpus.tags), str(len(corpus.counts)))
    out.print(corpora)
    print_entries(out, "highest", highest)
    print_entries(out, "lowest", lowest)


def facts_of(table: IndeterminacyTable) -> dict[str, Any]:
    """What the table is, for ``--json``."""
    return {
        "k": table.k,
        "tagger": table.tagger._asdict(),
        "corpora": [
            {"name": c.name, "documents": c.documents, "tags": c.tags, "ngrams": len(c.counts)}
            for c in table.corpora
        ],
        "tags": len(table.tags),
        "contexts": len(table.contexts),
        "mean_over_types": table.mean_over_types,
        "mean_over_tokens": table.mean_over_tokens,
        "sha256": table.sha256,
    }


def ranked(
    table: IndeterminacyTable, top: int, min_count: int = 1
) -> tuple[list[ContextEntry], list[ContextEntry]]:
    """The contexts of highest and of lowest lambda; of equals, those seen more often come first.

    Rare contexts are at both ends for want of counts: ``min_count`` leaves them out.
    """
    entries = [entry for entry in table.entries if entry.seen >= min_count]
    highest = sorted(entries, key=lambda e: (-e.value, -e.seen, e.context))[:top]
    lowest = sorted(entries, key=lambda e: (e.value, -e.seen, e.context))[:top]
    return highest, lowest


def as_object(entry: ContextEntry) -> dict[str, Any]:
    """One context for ``--json``."""
    return {"context": list(entry.context), "lambda": entry.value, "count": entry.seen}


def print_entries(out: Console, title: str, entries: Sequence[ContextEntry]) -> None:
    """A table of contexts with lambda and count."""
    if not entries:
        return
    grid = Table(title, "lambda", "count", box=None)
    for entry in entries:
        grid.add_row(escape(" ".join(entry.context) or "(empty)"), f"{entry.value:.4f}", str(entry.seen))
    out.print(grid)
