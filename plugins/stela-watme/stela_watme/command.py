"""``stela watme clusters``: a cluster file from a model's input embeddings."""

from __future__ import annotations

from pathlib import Path

import click
from stela_cli.common import force_option
from stela_clusters.command import add_group, model_option, output_option, tokens_and_embeddings, write
from stela_clusters.vocabulary_hash import vocabulary_hash

import stela_core as stela
from stela_core.api import require_free
from stela_watme.cluster_file import FILES, ids_file
from stela_watme.neighbours import mutual_neighbours


def add_to(cli: click.Group) -> None:
    """Add the group ``watme`` to the commands."""
    add_group(cli, FILES, "Make and keep the cluster files of WatME schemes.", clusters)


@click.command("clusters", epilog="\b\nExample:\n  stela watme clusters --model tiny -o pairs.bin")
@model_option
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Smallest cosine of two tokens that are each other's nearest neighbours.",
)
@output_option
@force_option
@click.pass_context
def clusters(context: click.Context, model: str, threshold: float, output: str, force: bool) -> None:
    """Write a cluster file: pairs of tokens whose embeddings are nearly equal."""
    require_free(Path(output), force)
    tokens, embeddings = tokens_and_embeddings(context, model)
    pairs = mutual_neighbours(embeddings, tokens, threshold)
    if not pairs:
        raise stela.StelaError(f"no two tokens have a cosine of {threshold:g}.", "lower --threshold")
    source = f"mutual nearest neighbours of input embeddings, cosine {threshold:g} and more"
    write(FILES, output, ids_file(pairs, vocabulary_hash(tokens), source), f"{len(pairs)} pairs")
