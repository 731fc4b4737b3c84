"""``stela sentence new``: a new mark of sentences."""

from __future__ import annotations

from pathlib import Path
from typing import cast, get_args

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.printing import report
from stela_corpora import TextSource
from stela_corpora.named import open_corpus

from stela_core import Registry, StelaError
from stela_core.api import KeyPart, require_free, trusted, write_atomically
from stela_sentence.create import MOST_REGIONS, create_mark
from stela_sentence.embedders import open_embedder
from stela_sentence.mark_file import Kind


@click.command("new", epilog="\b\nExample:\n  stela sentence new --kind k-semstamp --public-key -o m.json")
@click.option(
    "--kind", type=click.Choice(get_args(Kind)), default="k-semstamp", show_default=True, help="Which mark."
)
@click.option(
    "--corpus",
    default="sample-prose:en",
    show_default=True,
    metavar="C",
    help="Human text of the kind that will be written: a .jsonl file, or SOURCE:LANGUAGE of a plugin.",
)
@click.option(
    "--embedder",
    default="ngrams",
    show_default=True,
    metavar="M",
    help="Makes vectors of sentences: ngrams, or folder or Hugging Face name of a sentence-embedding model.",
)
@click.option(
    "--regions",
    type=click.IntRange(2, MOST_REGIONS),
    help="Number of regions.  [default: 32, of simmark 12]",
)
@click.option(
    "--gamma",
    type=click.FloatRange(0.05, 0.9),
    default=0.25,
    show_default=True,
    help="Probability that a region is valid after another.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1),
    help="Least distance from other regions.  [default: 0.01, of k-semstamp by ngrams 0.05]",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 0.05, min_open=True),
    default=0.001,
    show_default=True,
    help="Largest p-value that is called watermarked.",
)
@click.option("--key-file", metavar="FILE", help="Key file; the key is secret.")
@click.option("--public-key", is_flag=True, help="Draw a key and write it into the file.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="M.json",
    help="File to write the mark to.",
)
@force_option
@click.pass_context
def new(
    context: click.Context,
    kind: str,
    corpus: str,
    embedder: str,
    regions: int | None,
    gamma: float,
    margin: float | None,
    alpha: float,
    key_file: str | None,
    public_key: bool,
    output: str,
    force: bool,
) -> None:
    """Make a mark of whole sentences."""
    if (key_file is None) != public_key:
        raise StelaError("give either --key-file FILE or --public-key.", "one of the two")
    require_free(Path(output), force)
    key, salt = KeyPart.number_and_salt(key_from(key_file), public_key)
    mark = create_mark(
        cast("Kind", kind),
        open_embedder(embedder),
        open_corpus(_path_of(registry_of(context), corpus)),
        key,
        public=public_key,
        salt=salt,
        regions=regions,
        gamma=gamma,
        margin=margin,
        alpha=alpha,
    )
    write_atomically(Path(output), mark.to_bytes())
    trusted.add(mark)
    report(output, f"{output}: {kind}, {mark.regions} regions, key {mark.key.key_id}")


def _path_of(registry: Registry, name: str) -> Path:
    source, _, language = name.partition(":")
    if registry.has(TextSource, source):
        return registry.get(TextSource, source).location(language or "en")
    if source.startswith("sample") and not Path(name).exists():
        raise StelaError(f'there is no corpus "{name}".', "name sample-prose:en, or give a .jsonl file")
    return Path(name)
