"""``stela lambda merge``: one table of the counts of several."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import force_option
from stela_cli.printing import report

from stela_core.api import require_free
from stela_tables.cli.lambda_build import summary
from stela_tables.file import read_table, write_table
from stela_tables.merge import merge


@click.command("merge", epilog="\b\nExample:\n  stela lambda merge a.json b.json -o table.json")
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="TABLE", help="Table to write."
)
@force_option
def lambda_merge(tables: tuple[str, ...], output: str, force: bool) -> None:
    """Merge tables that were counted with the same tagger.

    The result is the table that stela lambda build makes of all their text. Corpora of the same name are
    parts of one corpus: their counts are added.
    """
    require_free(Path(output), force)
    table = merge(map(read_table, tables))
    write_table(output, table, replace=force)
    for line in summary(output, table):
        report(output, line)
