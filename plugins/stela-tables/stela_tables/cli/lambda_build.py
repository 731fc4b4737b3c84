"""``stela lambda build``: count tags in text or treebanks and write an indeterminacy table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click
from stela_cli.common import force_option, registry_of
from stela_cli.printing import report, say
from stela_cli.progress import progress
from stela_corpora.conllu import Column
from stela_corpora.named import open_corpus

from stela_core import StelaError
from stela_core.api import require_free
from stela_tables.build import MAX_K, build_tables
from stela_tables.file import write_table
from stela_tables.table import IndeterminacyTable
from stela_tables.treebank import build_from_treebanks


@click.command(
    "build",
    epilog="\b\nExample:\n  stela lambda build --tagger penn --corpus texts.jsonl --k 2 -o penn.json",
)
@click.option("--tagger", metavar="NAME[:MODEL]", help="Tagger that tags the text.")
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    metavar="F.jsonl",
    help='Human text: JSON lines with a field "text", plain or compressed (.gz, .xz, .zst). Or a Hugging '
    "Face dataset, hf:NAME[:CONFIG][@SPLIT]; NAME may be a folder or file. May be repeated.",
)
@click.option(
    "--text-column", metavar="NAME", help="Column or JSON field that holds the text.  [default: text]"
)
@click.option(
    "--documents", type=click.IntRange(1), metavar="N", help="Count a sample of N documents of each corpus."
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the samples.  [default: 0]")
@click.option(
    "--conllu",
    "treebanks",
    multiple=True,
    metavar="FILE",
    help="CoNLL-U treebank whose own tags are counted, in place of --tagger and --corpus. May be repeated.",
)
@click.option(
    "--column",
    type=click.Choice(["upos", "xpos"]),
    help="Which tags of the treebank are counted.  [default: upos]",
)
@click.option("--k", type=click.IntRange(1, MAX_K), required=True, help="Length of the n-grams of tags.")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="TABLE", help="Table to write."
)
@force_option
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of workers that count.  [default: 1]",
)
@click.option(
    "--executor", default="local", show_default=True, metavar="NAME", help="Executor that runs the workers."
)
@click.option(
    "--skip-bad", is_flag=True, help="Leave out bad lines (of a treebank: sentences) and count them."
)
@click.pass_context
def lambda_build(
    context: click.Context,
    tagger: str | None,
    corpora: tuple[str, ...],
    text_column: str | None,
    documents: int | None,
    seed: int | None,
    treebanks: tuple[str, ...],
    column: Column | None,
    k: int,
    output: str,
    force: bool,
    workers: int | None,
    executor: str,
    skip_bad: bool,
) -> None:
    """Build a table of how freely the next part of speech can be chosen after each context."""
    check_sources(tagger, corpora, treebanks)
    of_text = {"--text-column": text_column, "--documents": documents, "--seed": seed}
    check_options(treebanks, of_text, {"--column": column})
    if seed is not None and documents is None:
        raise StelaError("--seed goes with --documents.", "it is the seed of a sample")
    require_free(Path(output), force)
    if tagger is None:
        with progress("counting", total_of(map(size_of, treebanks)), of_bytes=True) as advance:
            counted = build_from_treebanks(treebanks, [k], column or "upos", skip_bad, advance)
        table = counted.tables[k]
        notes = [*_left_out(counted.bad, "bad sentence"), *_left_out(counted.untagged, "untagged word")]
    else:
        column_of_text = "text" if text_column is None else text_column
        opened = [open_corpus(spec, skip_bad, documents, seed or 0, column_of_text) for spec in corpora]
        with progress(
            f"tagging with {tagger}", total_of(corpus.size for corpus in opened), of_bytes=True
        ) as advance:
            built = build_tables(
                registry_of(context), tagger, opened, [k], workers, advance=advance, executor=executor
            )
        table = built.tables[k]
        notes = _left_out(built.bad, "bad line")
    write_table(output, table, replace=force)
    for note in notes:
        say(f"note: {note}", err=True)
    for line in summary(output, table):
        report(output, line)


CHOICE = "give --tagger NAME with --corpus FILE, or --conllu FILE alone"


def check_sources(tagger: str | None, corpora: Sequence[str], treebanks: Sequence[str]) -> None:
    """Find out whether there is either a tagger with text, or a treebank.

    Raises:
        StelaError: something is missing, or goes with the other.
    """
    if treebanks and (tagger or corpora):
        raise StelaError("--conllu counts a treebank's own tags: no --tagger, no --corpus.", CHOICE)
    if not treebanks and not (tagger and corpora):
        missing = "--corpus" if tagger else "--tagger" if corpora else "--tagger and --corpus, or --conllu"
        raise StelaError(f"missing option {missing}.", CHOICE)


def check_options(
    treebanks: Sequence[str], of_text: Mapping[str, object], of_treebanks: Mapping[str, object]
) -> None:
    """Find out whether the options given mean something.

    Raises:
        StelaError: one goes with the other source of tags.
    """
    for option, value in (of_text if treebanks else of_treebanks).items():
        if value is not None:
            raise StelaError(f"{option} goes with --{'corpus' if treebanks else 'conllu'}.", CHOICE)


def size_of(file: str) -> int:
    """Bytes of a file, 0 where there is none."""
    return Path(file).stat().st_size if Path(file).is_file() else 0


def total_of(sizes: Iterable[int]) -> int | None:
    """Bytes in all; ``None`` where a size is 0: not known."""
    known = list(sizes)
    return (sum(known) or None) if all(known) else None


def summary(output: str, table: IndeterminacyTable) -> list[str]:
    """What was written, in lines."""
    documents = sum(corpus.documents for corpus in table.corpora)
    tags = sum(corpus.tags for corpus in table.corpora)
    return [
        f"{output}: {len(table.contexts)} contexts of k = {table.k}, {tags} tags in {documents} documents",
        f"mean over types {table.mean_over_types:.4f}, over tokens {table.mean_over_tokens:.4f}",
        f"sha256 {table.sha256}",
    ]


def _left_out(counts: Mapping[str, int], what: str) -> list[str]:
    return [f"left out {n} {what}{'s' * (n > 1)} of {name}" for name, n in counts.items() if n]
