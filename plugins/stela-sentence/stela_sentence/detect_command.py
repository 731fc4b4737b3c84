"""``stela sentence detect``: test texts for a mark of sentences."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table
from stela_cli.common import console, key_from, registry_of
from stela_cli.detect_table import COLOURS
from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import print_json, say
from stela_cli.problems import Problems

from stela_core import StelaError
from stela_core.api import printable
from stela_sentence.detection import SentenceDetection
from stela_sentence.mark import load_mark
from stela_sentence.options import mark_options

COLUMNS = ("text", "verdict", "p-value", "z", "scored", "pairs", "valid")


@click.command("detect", epilog="\b\nExample:\n  stela sentence detect --mark m.json o.jsonl")
@mark_options
@click.argument("files", nargs=-1, metavar="[FILE ... | -]")
@click.option("--sentences", is_flag=True, help="List the sentences, with --json.")
@click.option("--json", "as_json", is_flag=True, help="Print one record a line, one for each text.")
@click.pass_context
def detect(
    context: click.Context,
    mark: str,
    key_file: str | None,
    embedder: str | None,
    files: tuple[str, ...],
    sentences: bool,
    as_json: bool,
) -> int:
    """Test texts for a mark of whole sentences.

    A .jsonl file holds one text a line, others one text each.
    """
    if not files:
        raise StelaError("no text to test.", "name files, or - for standard input")
    if sentences and not as_json:
        raise StelaError("--sentences lists them as JSON.", "add --json")
    problems = Problems()
    readers = Readers(registry_of(context))
    loaded = load_mark(mark, key_from(key_file), embedder)
    table = Table(*COLUMNS, box=None)
    for item in texts_of(sources_of(files, None, problems.note, readers), "text", problems.note, readers):
        if isinstance(item, StelaError):
            problems.report(item)
            continue
        try:
            detection = loaded.detect(item.text)
        except StelaError as error:
            problems.report(error)
            continue
        if as_json:
            print_json({"text": item.source, **detection.to_dict(sentences)})
        else:
            table.add_row(*_row(item.source, detection))
    if table.row_count:
        console().print(table)
        say(f"watermarked means p-value <= {loaded.file.alpha:g}; no verdict says who wrote a text")
        if loaded.caveat is not None:
            say(f"note: {loaded.caveat}")
    return problems.end()


def _row(source: str, detection: SentenceDetection) -> tuple[str, ...]:
    return (
        escape(printable(source)),
        f"[{COLOURS[detection.verdict]}]{detection.verdict}[/]",
        f"{detection.p_value:.2g}",
        f"{detection.z:.2f}",
        str(detection.scored_sentences),
        str(detection.unique_pairs),
        f"{detection.green_fraction:.0%}",
    )
