"""``stela language new``: a tagger plugin from a treebank and human text."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.printing import say

from stela_core.api import require


@click.command(
    "new",
    epilog="\b\nExample:\n  stela language new --conllu t.conllu --corpus c.jsonl --code tr --name Turkish "
    "--licence MIT -o stela-tr",
)
@click.option(
    "--conllu",
    "treebanks",
    multiple=True,
    required=True,
    metavar="FILE",
    help="CoNLL-U treebank to learn from, plain or compressed (.gz, .xz, .zst). May be repeated.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    metavar="FILE",
    help="Treebank to measure with. May be repeated.  [default: a tenth of the sentences, held out]",
)
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    required=True,
    metavar="F.jsonl",
    help="Human text for the tables, as for stela lambda build. May be repeated.",
)
@click.option("--code", required=True, metavar="CODE", help="ISO 639 code, which names the tagger.")
@click.option("--name", required=True, metavar="NAME", help="Name of the language in English.")
@click.option(
    "--licence",
    "licences",
    multiple=True,
    required=True,
    metavar="SPDX",
    help="Licence of the treebanks and the text, such as CC-BY-SA-4.0. May be repeated.",
)
@click.option(
    "--epochs", type=click.IntRange(1, 1_000), default=12, show_default=True, help="Passes over the treebank."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the training.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad sentences and lines, and count them.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder to write the plugin to.",
)
def language_new(
    treebanks: tuple[str, ...],
    tests: tuple[str, ...],
    corpora: tuple[str, ...],
    code: str,
    name: str,
    licences: tuple[str, ...],
    epochs: int,
    seed: int,
    skip_bad: bool,
    output: Path,
) -> None:
    """Make a tagger plugin for a language from a treebank.

    The tagger is a small network. It is trained and measured, tables are built, and all is written as a
    package to install. If the command is stopped, give it again to continue: what is half done is in the
    folder FOLDER.partial.
    """
    from stela_language.writing import language_of

    language = language_of(code, name, licences)
    require("torch", "training a tagger")
    from stela_language.making import Wanted, make

    wanted = Wanted(treebanks, tests, corpora, language, epochs, seed, skip_bad)
    figures = make(wanted, output, lambda line: say(line, err=True))
    say(
        f"{output}: tagger {code}, {figures.words} test words, tags right {figures.tags:.1%}, "
        f"boundaries F1 {figures.boundaries:.1%}, both {figures.both:.1%}, "
        f"{figures.words_per_second:,.0f} words/s"
    )
    say(f"pip install {output}")
