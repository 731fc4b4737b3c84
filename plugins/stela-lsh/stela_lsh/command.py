"""``stela lsh embed``: an embedding file from a model's input embeddings."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from stela_cli.common import force_option
from stela_cli.printing import say
from stela_clusters.command import add_group, model_option, output_option, tokens_and_embeddings, write
from stela_clusters.reduce import clustered, quantised, reduced
from stela_clusters.vocabulary_hash import vocabulary_hash

from stela_core.api import require_free
from stela_lsh.embedding_file import FILES, embedding_file

DETAIL = 128
"""Dimensions in which clusters are looked for: more than are kept."""


def add_to(cli: click.Group) -> None:
    """Add the group ``lsh`` to the commands."""
    add_group(cli, FILES, "Make and keep the embedding files of LSH schemes.", embed, sentence_model)


@click.command("embed", epilog="\b\nExample:\n  stela lsh embed --model tiny -o words.bin")
@model_option
@click.option(
    "--dimensions", type=click.IntRange(1, 256), default=32, show_default=True, help="Length of the vectors."
)
@click.option(
    "--rounds",
    type=click.IntRange(0, 8),
    default=3,
    show_default=True,
    help="A cluster has 2^rounds tokens, half of them green.",
)
@output_option
@force_option
@click.pass_context
def embed(context: click.Context, model: str, dimensions: int, rounds: int, output: str, force: bool) -> None:
    """Write an embedding file: a short vector and a cluster for each token of a model."""
    require_free(Path(output), force)
    tokens, full = tokens_and_embeddings(context, model)
    vectors = reduced(full, dimensions)
    text = np.array([index for index in range(len(tokens)) if tokens.is_text(index)], dtype=np.int64)
    labels = np.full(len(tokens), -1, dtype=np.int64)
    parts = clustered(reduced(full, max(DETAIL, dimensions)), text, rounds)
    for number, part in enumerate(parts):
        labels[part] = number
    source = f"input embeddings in {vectors.shape[1]} principal directions, clusters of {2**rounds} tokens"
    data = embedding_file(quantised(vectors), labels, vocabulary_hash(tokens), source)
    write(FILES, output, data, f"{len(tokens)} tokens, {len(parts)} clusters")


@click.command("model", epilog="\b\nExample:\n  stela lsh model NAME")
@click.argument("name", metavar="NAME")
def sentence_model(name: str) -> None:
    """Note where a sentence-embedding model is, for profiles that name its hash."""
    from stela_models.known_sentence_models import remember_sentence_model

    from stela_lsh.hasher import PURPOSE

    say(f"{name}: known as --param model={remember_sentence_model(name, PURPOSE)}")
