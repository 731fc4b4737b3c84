"""``stela sir train``: a network file from a model's input embeddings, or a sentence model, and texts."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from stela_cli.common import force_option, registry_of
from stela_cli.printing import say
from stela_cli.progress import progress
from stela_clusters.command import add_group, model_option, output_option, tokens_and_embeddings, write
from stela_clusters.vocabulary_hash import vocabulary_hash
from stela_corpora.named import open_corpus
from stela_models.tokenizer import load_tokenizer

import stela_core as stela
from stela_core.api import require, require_free
from stela_sir.network_file import FILES

LONGEST = 2_000
"""Characters of a document that are read."""
FEWEST = 1_000
"""Tokens of a corpus."""


def add_to(cli: click.Group) -> None:
    """Put the group ``sir`` with the other commands."""
    add_group(cli, FILES, "Make and keep the network files of SIR schemes.", train, sentence_model)


@click.command(
    "train",
    epilog="\b\nExample:\n  stela sir train --model tiny --corpus texts.jsonl -o network.bin",
)
@model_option
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    required=True,
    metavar="F.jsonl",
    help="Texts whose contexts the network learns from: a file, or hf:NAME. May be repeated.",
)
@click.option(
    "--documents", type=click.IntRange(1), default=400, show_default=True, help="Documents of each corpus."
)
@click.option(
    "--context-width",
    type=click.IntRange(1, 64),
    default=16,
    show_default=True,
    help="Preceding tokens of a context.",
)
@click.option(
    "--dimensions",
    type=click.IntRange(1, 256),
    default=32,
    show_default=True,
    help="Length of a token's vector.",
)
@click.option(
    "--rounds",
    type=click.IntRange(0, 8),
    default=0,
    show_default=True,
    help="2^rounds near tokens have one output in common (X-SIR).",
)
@click.option(
    "--hidden", type=click.IntRange(8, 1024), default=128, show_default=True, help="Hidden numbers."
)
@click.option("--steps", type=click.IntRange(1), default=2000, show_default=True, help="Steps of training.")
@click.option(
    "--steepness",
    type=click.FloatRange(0.1, 100),
    default=3.0,
    show_default=True,
    help="How far meaning reaches: with more, less near contexts have like lists.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of sample and training."
)
@click.option(
    "--sentence-model", "reader", metavar="NAME", help="Sentence-embedding model that reads the contexts."
)
@output_option
@force_option
@click.pass_context
def train(
    context: click.Context,
    model: str,
    corpora: tuple[str, ...],
    documents: int,
    context_width: int,
    dimensions: int,
    rounds: int,
    hidden: int,
    steps: int,
    steepness: float,
    seed: int,
    reader: str | None,
    output: str,
    force: bool,
) -> None:
    """Train a network for a model's tokens, and write it to a file."""
    require("torch", "training a network")
    from stela_sir.make import Contexts, classes_of_clusters, token_vectors
    from stela_sir.train import trained

    require_free(Path(output), force)
    tokens, embeddings = tokens_and_embeddings(context, model)
    encode = load_tokenizer(registry_of(context), model).encode
    texts = [
        [
            encode(text[:LONGEST], add_special_tokens=False).ids
            for text in open_corpus(spec, False, documents, seed)
        ]
        for spec in corpora
    ]
    vectors = None if reader else token_vectors(embeddings, dimensions)
    contexts = Contexts(tokens, context_width, vectors, reader)
    rows = [contexts.of_texts(corpus) for corpus in texts]
    for spec, row in zip(corpora, rows, strict=True):
        if len(row) < FEWEST:
            what = f'"{spec}" has {len(row)} tokens; a network learns from {FEWEST} and more.'
            raise stela.StelaError(what, "give a larger corpus, or more --documents")
    with progress("training", steps) as advance:
        layers = trained(rows, hidden, steps, steepness, seed, advance)
    classes = classes_of_clusters(tokens, embeddings, rounds)
    data = contexts.file(layers, classes, vocabulary_hash(tokens), sources(corpora, rows))
    write(FILES, output, data, f"{len(tokens)} tokens, {len(np.unique(classes))} classes")


def sources(corpora: tuple[str, ...], rows: list[npt.NDArray[np.int64]]) -> str:
    """What a network was trained on, in a line."""
    names = ", ".join(Path(spec).name for spec in corpora)[:200]
    return f"{sum(map(len, rows))} contexts of {names}"


@click.command("model", epilog="\b\nExample:\n  stela sir model NAME")
@click.argument("name", metavar="NAME")
def sentence_model(name: str) -> None:
    """Note where a sentence-embedding model is, for networks that name its hash."""
    from stela_models.known_sentence_models import remember_sentence_model

    from stela_sir.hasher import PURPOSE

    say(f"{name}: known as {remember_sentence_model(name, PURPOSE)}")
