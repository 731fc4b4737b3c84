"""``stela language check``: which language texts are in, and whether a profile is meant for it."""

from __future__ import annotations

from typing import NamedTuple

import click
from rich.markup import escape
from rich.table import Table
from stela_cli.common import console, registry_of
from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import print_json
from stela_cli.problems import Problems

import stela_core as stela
from stela_core.api import Archive

ANY = "mul"
"""Language of a tagger of several."""


class Checked(NamedTuple):
    """What is said of a text."""

    source: str
    language: str
    share: float
    fits: bool | None
    """Whether the profile is meant for the language; ``None`` where either is not known."""


@click.command("check", epilog="\b\nExample:\n  stela language check --profile p.stela texts/")
@click.argument("files", nargs=-1, required=True, metavar="[FILE ... | -]")
@click.option("--profile", type=click.Path(), metavar="P.stela", help="Compare with this profile's language.")
@click.option(
    "--text-column", "column", default="text", show_default=True, help="Field or column that holds the text."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line, one for each text.")
@click.pass_context
def language_check(
    context: click.Context, files: tuple[str, ...], profile: str | None, column: str, as_json: bool
) -> int:
    """Say which language texts are in.

    With a profile, also whether it is meant for that language. A p-value is valid in every language; but the
    weights of another one find less.
    """
    from stela_language.identify import Identifier

    problems = Problems()
    wanted = None if profile is None else Archive.read(profile).profile.language
    wanted = None if wanted == ANY else wanted
    identifier = Identifier()
    if profile is not None and wanted is None:
        problems.note(f"{profile} is meant for any language")
    elif wanted is not None and not identifier.knows(wanted):
        problems.note(f"{wanted}, the language of {profile}, is not one of those that are known")
        wanted = None
    readers = Readers(registry_of(context))
    rows = []
    for text in texts_of(sources_of(files, None, problems.note, readers), column, problems.note, readers):
        if isinstance(text, stela.StelaError):
            problems.report(text)
            continue
        language = identifier.language_of(text.text)
        fits = language.code == wanted if wanted is not None and language.is_known else None
        rows.append(Checked(text.source, language.code, language.share, fits))
        if as_json:
            print_json({**rows[-1]._asdict(), "share": round(language.share, 4)})
    if rows and not as_json:
        console().print(_table(rows, compared=wanted is not None))
    others = sum(row.fits is False for row in rows)
    if others:
        problems.note(
            f"{others} of {len(rows)} texts are not in {wanted}, the language of {profile}: "
            "its p-values are valid, but find less"
        )
    return problems.end()


def _table(rows: list[Checked], compared: bool) -> Table:
    table = Table(box=None, header_style="")
    for column in ("text", "language", "share", *(["profile's"] if compared else [])):
        table.add_column(column, justify="right" if column == "share" else "left")
    says = {True: "yes", False: "no", None: "unknown"}
    for row in rows:
        cells = [escape(row.source), row.language, f"{row.share:.2f}"]
        table.add_row(*cells, *([says[row.fits]] if compared else []))
    return table
