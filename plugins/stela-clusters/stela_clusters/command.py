"""What the commands share that make such files of a model, and keep them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
from stela_cli.common import registry_of
from stela_cli.group import Group
from stela_cli.printing import report, say
from stela_models.embeddings import input_embeddings
from stela_models.tokenizer import load_tokenizer

from stela_clusters.named_files import NamedFiles
from stela_core.api import TokenBytes, write_atomically

model_option = click.option(
    "--model", required=True, help="Model that gives the embeddings: alias, folder or Hugging Face name."
)
output_option = click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE", help="File to write."
)


def add_group(cli: click.Group, files: NamedFiles[Any], about: str, *commands: click.Command) -> None:
    """Add a plugin's group to the commands: those given, and ``keep``."""
    group = Group(files.plugin, help=about)
    for command in (*commands, keep_command(files)):
        group.add_command(command)
    cli.add_command(group)


def keep_command(files: NamedFiles[Any]) -> click.Command:
    """The command that keeps a file."""
    article = "an" if files.what[0] in "aeiou" else "a"
    about = f"Keep {article} {files.what} on this machine, for profiles that name its SHA-256."

    @click.command("keep", help=about, epilog=f"\b\nExample:\n  stela {files.plugin} keep FILE")
    @click.argument("file", metavar="FILE")
    def keep(file: str) -> None:
        say(f"{file}: {files.keep(file)}")

    return keep


def tokens_and_embeddings(context: click.Context, model: str) -> tuple[TokenBytes, npt.NDArray[np.float32]]:
    """The tokens of a model, and their input embeddings (tokens, dimensions), centred and of length 1.

    Raises:
        StelaError: there is no such model, or it has fewer embeddings than tokens.
    """
    registry = registry_of(context)
    tokens = TokenBytes.of(load_tokenizer(registry, model))
    return tokens, input_embeddings(registry, model, len(tokens))


def write(files: NamedFiles[Any], output: str, data: bytes, told: str) -> None:
    """Write and keep a file that was made, and say so."""
    write_atomically(Path(output), data)
    report(output, f"{output}: {told}, {files.kept_as(data)}")
