"""``stela lsh embed``: an embedding file from a model's input embeddings."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from stela_models.embeddings import input_embeddings

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
from stela_lsh.embedding_file import LARGEST, embedding_file, parsed
from stela_lsh.reduce import clustered, quantised, reduced

DETAIL = 128
"""Dimensions in which clusters are looked for: more than are kept."""


def add_to(cli: click.Group) -> None:
    """Put the group ``lsh`` beside the other commands."""
    group = click.Group("lsh", help="Seeds by meaning: embeddings of a model's tokens.")
    group.add_command(embed)
    group.add_command(keep)
    group.add_command(sentence_model)
    cli.add_command(group)


@click.command("embed")
@click.option("--model", required=True, help="Alias, folder or Hugging Face name; gives the embeddings.")
@click.option("--dimensions", type=click.IntRange(1, 256), default=32, show_default=True)
@click.option(
    "--rounds",
    type=click.IntRange(0, 8),
    default=3,
    show_default=True,
    help="Clusters have 2^rounds tokens; lists are even inside each.",
)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE")
@force_option
@click.pass_context
def embed(context: click.Context, model: str, dimensions: int, rounds: int, output: str, force: bool) -> None:
    """Write an embedding file: a short vector and a cluster for each token of a model."""
    require_free(Path(output), force)
    registry = registry_of(context)
    tokens = TokenBytes.of(load_tokenizer(registry, model))
    full = input_embeddings(registry, model, len(tokens))
    vectors = reduced(full, dimensions)
    text = np.array([index for index in range(len(tokens)) if tokens.is_text(index)], dtype=np.int64)
    labels = np.full(len(tokens), -1, dtype=np.int64)
    parts = clustered(reduced(full, max(DETAIL, dimensions)), text, rounds)
    for number, part in enumerate(parts):
        labels[part] = number
    source = f"input embeddings in {vectors.shape[1]} principal directions, clusters of {2**rounds} tokens"
    data = embedding_file(quantised(vectors), labels, vocabulary_hash(tokens), source)
    write_atomically(Path(output), data)
    kept = f"kept as --param embedding={keep_file(data)}"
    report(output, f"{output}: {len(tokens)} tokens, {len(parts)} clusters, {kept}")


@click.command("keep")
@click.argument("file", metavar="FILE")
def keep(file: str) -> None:
    """Keep an embedding file, for profiles that speak of it by its SHA-256."""
    what = f'embedding "{file}"'
    data = read_bounded(file, LARGEST, what, "give a file that stela lsh embed wrote")
    parsed(data, what)
    say(f"{file}: kept as --param embedding={keep_file(data)}")


@click.command("model")
@click.argument("name", metavar="NAME")
def sentence_model(name: str) -> None:
    """Note where a sentence-embedding model is, for profiles that speak of it by its hash."""
    from stela_lsh.sentence_model import remember_sentence_model

    say(f"{name}: known as --param model={remember_sentence_model(name)}")
