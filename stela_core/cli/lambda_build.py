"""``stela lambda build``: count tags in text and write an indeterminacy table."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from stela_core.cli.common import registry_of
from stela_core.errors import StelaError
from stela_core.tables.build import MAX_K, build_tables
from stela_core.tables.file import write_table


@click.command("build")
@click.option("--tagger", required=True, metavar="NAME[:MODEL]", help="Tagger that gives the tags.")
@click.option(
    "--corpus",
    "corpora",
    required=True,
    multiple=True,
    metavar="F.jsonl",
    help='Human text, a JSON object with a "text" per line; plain, .gz, .xz or .zst. May be given again.',
)
@click.option("--k", type=click.IntRange(1, MAX_K), required=True, help="Length of the n-grams.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="TABLE")
@click.option("--workers", type=click.IntRange(1, 1024), default=1, show_default=True, help="Processes.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines and count them.")
@click.pass_context
def lambda_build(
    context: click.Context,
    tagger: str,
    corpora: tuple[str, ...],
    k: int,
    output: str,
    workers: int,
    skip_bad: bool,
) -> None:
    """Build a table: how freely the next part of speech can be chosen after each context."""
    check_writable(Path(output))
    total = sum(file.stat().st_size for file in map(Path, corpora) if file.is_file())
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"tagging with {tagger}", total=total or None)
        built = build_tables(
            registry_of(context), tagger, corpora, [k], workers, skip_bad, lambda n: bar.advance(task, n)
        )
    table = built.tables[k]
    write_table(output, table)
    for name, bad in built.bad.items():
        if bad:
            click.echo(f"note: left out {bad} bad line{'s' * (bad > 1)} of {name}", err=True)
    documents = sum(corpus.documents for corpus in table.corpora)
    tags = sum(corpus.tags for corpus in table.corpora)
    click.echo(f"{output}: {len(table.contexts)} contexts of k = {k}, {tags} tags in {documents} documents")
    click.echo(f"mean over types {table.mean_over_types:.4f}, over tokens {table.mean_over_tokens:.4f}")
    click.echo(f"sha256 {table.sha256}")


def check_writable(path: Path) -> None:
    """Find out before the work whether the table can be written.

    Raises:
        StelaError: the folder is missing or may not be written to.
    """
    folder = path.parent
    if not folder.is_dir():
        raise StelaError(f'cannot write "{path}": there is no folder "{folder}".', "choose another -o")
    if not os.access(folder, os.W_OK):
        raise StelaError(f'cannot write "{path}": no permission to write in "{folder}".', "choose another -o")
