"""``stela profile report``: false alarms and power of one profile, by corpus and length, on one page."""

from __future__ import annotations

import json
from pathlib import Path

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.printing import report
from stela_cli.progress import progress
from stela_corpora.corpus import Corpus

from stela_core import StelaError, load
from stela_core.api import require, require_free, write_atomically
from stela_run.null.corpora import corpus_path, documents_of
from stela_run.reliability.cells import LENGTHS


def lengths_of(context: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    """Numbers of tokens with commas between them, ascending."""
    try:
        lengths = tuple(sorted({int(part) for part in value.split(",")}))
    except ValueError:
        lengths = ()
    if not lengths or lengths[0] < 1 or lengths[-1] > 100_000:
        raise click.BadParameter(f'"{value}" are not lengths: write 50,100,200')
    return lengths


@click.command(
    "report",
    epilog="\b\nExample:\n  stela profile report p.stela --corpus sample-prose:en -o report.html",
)
@click.argument("profile", type=click.Path())
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    required=True,
    metavar="CORPUS",
    help="Human text of one kind: a .jsonl file or an installed sample (stela plugins). May be repeated.",
)
@click.option(
    "--marked", multiple=True, metavar="F.jsonl", help="Marked texts from stela generate. May be repeated."
)
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@click.option(
    "--lengths",
    callback=lengths_of,
    default=",".join(map(str, LENGTHS)),
    show_default=True,
    help="Lengths of the texts, in tokens.",
)
@click.option(
    "--texts",
    type=click.IntRange(20, 100_000),
    default=1_000,
    show_default=True,
    help="Number of texts of each length.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="F.html",
    help="Report to write: .html or .json.",
)
@force_option
@click.pass_context
def profile_report(
    context: click.Context,
    profile: str,
    corpora: tuple[str, ...],
    marked: tuple[str, ...],
    key_file: str | None,
    lengths: tuple[int, ...],
    texts: int,
    output: str,
    force: bool,
) -> None:
    """Measure how reliable a profile is: its false alarms on human text, and the marks it finds.

    Rates are given for each kind and length of text. Texts are tested as by stela detect, under the
    profile's own keys.
    """
    # What a report takes, no other command should wait for.
    from stela_run.reliability.measure import measure
    from stela_run.reliability.page import render

    require_free(Path(output), force)
    as_json = Path(output).suffix.lower() == ".json"
    if not as_json:
        require("jinja2", "a report")
        require("matplotlib", "a report")
    registry = registry_of(context)
    watermark = load(profile, key_from(key_file), registry)
    if watermark.needs_model_to_detect:
        raise StelaError(
            f'scheme "{watermark.profile.scheme.name}" weighs texts by a model\'s logits.',
            "there are reports of profiles that need no model to detect",
        )
    paths = {name: corpus_path(registry, name, watermark.profile.language) for name in corpora}
    marked_texts = {Path(file).name: list(Corpus(file)) for file in marked}
    # A file by its name alone: the page may go to others.
    short = {name: Path(name).name if path == Path(name) else name for name, path in paths.items()}
    clear = len({*short.values()}) == len(short)
    human = {short[name] if clear else name: documents_of(path) for name, path in paths.items()}
    with progress("testing", (len(human) + len(marked_texts)) * len(lengths) * texts) as advance:
        measured = measure(watermark, watermark.tokenizer, human, marked_texts, lengths, texts, advance)
    digest, provenance = watermark.profile.digest, watermark.provenance
    caveat = provenance.caveat
    if provenance.foreign_tokenizer:
        caveat = (
            f"{caveat}; its tokenizer is not known here: nothing is called watermarked until you trust it"
        )
    if as_json:
        said = {"profile_sha256": digest, **({} if caveat is None else {"caveat": caveat})}
        content = json.dumps({**said, **measured.to_dict()}, indent=1) + "\n"
    else:
        keys = len(watermark.keys.known)
        about = (
            "Tested under its key." if keys == 1 else f"Tested under its {keys} keys, p times their number."
        )
        content = render(watermark.profile, digest, measured, caveat, about)
    write_atomically(Path(output), content.encode("utf-8", "replace"), force)
    rows = len(measured.human) + len(measured.marked)
    report(
        output, f"{output}: {rows} rows of {len(human)} corpora, {sum(r.texts for r in measured.human)} texts"
    )
