"""``stela watme clusters``: a cluster file from a model's input embeddings."""

from __future__ import annotations

from pathlib import Path

import click
from stela_models.embeddings import input_embeddings

import stela_core as stela
from stela_core.api import (
    TokenBytes,
    force_option,
    keep_file,
    load_tokenizer,
    read_bounded,
    registry_of,
    report,
    require_free,
    say,
    vocabulary_hash,
    write_atomically,
)
from stela_watme.cluster_file import LARGEST, ids_file, parsed
from stela_watme.neighbours import mutual_neighbours


def add_to(cli: click.Group) -> None:
    """Put the group ``watme`` beside the other commands."""
    group = click.Group("watme", help="WatME: clusters of interchangeable tokens.")
    group.add_command(clusters)
    group.add_command(keep)
    cli.add_command(group)


@click.command("clusters")
@click.option("--model", required=True, help="Alias, folder or Hugging Face name; gives the embeddings.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Smallest cosine of two tokens that are each other's nearest neighbour.",
)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE")
@force_option
@click.pass_context
def clusters(context: click.Context, model: str, threshold: float, output: str, force: bool) -> None:
    """Write a cluster file: pairs of tokens that a model takes for nearly the same."""
    require_free(Path(output), force)
    registry = registry_of(context)
    tokens = TokenBytes.of(load_tokenizer(registry, model))
    pairs = mutual_neighbours(input_embeddings(registry, model, len(tokens)), tokens, threshold)
    if not pairs:
        raise stela.StelaError(f"no two tokens have a cosine of {threshold:g}.", "lower --threshold")
    source = f"mutual nearest neighbours of input embeddings, cosine {threshold:g} and more"
    data = ids_file(pairs, vocabulary_hash(tokens), source)
    write_atomically(Path(output), data)
    report(output, f"{output}: {len(pairs)} pairs, kept as --param clusters={keep_file(data)}")


@click.command("keep")
@click.argument("file", metavar="FILE")
def keep(file: str) -> None:
    """Keep a cluster file, for profiles that speak of it by its SHA-256."""
    what = f'cluster file "{file}"'
    data = read_bounded(file, LARGEST, what, "give a file that stela watme clusters wrote")
    parsed(data, what)
    say(f"{file}: kept as --param clusters={keep_file(data)}")
