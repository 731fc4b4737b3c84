"""``stela c2pa FILE``: what a C2PA manifest says of a marked text, as JSON for C2PA's tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from stela_cli.common import force_option, key_from, registry_of
from stela_cli.one_text import one_text
from stela_cli.printing import report, say

import stela_core as stela
from stela_core.api import require_free, write_atomically
from stela_sign.c2pa.soft_binding import ALGORITHM, algorithm_of

Command = TypeVar("Command", bound=Callable[..., object])


def soft_binding_option(command: Command) -> Command:
    """Give a command the option ``--soft-binding``, its parameter ``soft_binding``."""
    return click.option(
        "--soft-binding",
        default=ALGORITHM,
        show_default=True,
        metavar="NAME",
        help="Algorithm's name in soft bindings, beginning with your domain; none for no soft binding.",
    )(command)


@click.command(
    "write",
    epilog="\b\nExample:\n  stela c2pa write text.docx --profile p.stela -o manifest.json",
)
@click.argument("file", type=click.Path())
@click.option("--profile", required=True, metavar="P.stela", help="Profile that marked the text.")
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@click.option("--model", metavar="NAME", help="Name of the model that wrote the text.")
@click.option(
    "--label", metavar="LABEL", help="Label of the assertion about the mark, beginning with your domain."
)
@soft_binding_option
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="F.json",
    help="Manifest definition to write.",
)
@force_option
@click.pass_context
def write(
    context: click.Context,
    file: str,
    profile: str,
    key_file: str | None,
    model: str | None,
    label: str | None,
    soft_binding: str,
    output: str,
    force: bool,
) -> None:
    """Write a C2PA manifest definition for a marked text.

    It says that a model made the text, and with which profile it is marked. The text is tested first:
    nothing is written if the mark is not found. A message of which all digits are sure becomes a soft
    binding. C2PA's tools (c2patool -m F.json) sign the manifest into a document, with your certificate.
    """
    from stela_sign.c2pa.manifest import LABEL, manifest_of

    require_free(Path(output), force)
    algorithm = algorithm_of(soft_binding)
    registry = registry_of(context)
    text = one_text(file, registry)
    watermark = stela.load(profile, key_from(key_file), registry)
    detection = watermark.detect(text)
    manifest = manifest_of(detection, watermark, text, model, label or LABEL, algorithm)
    write_atomically(Path(output), (json.dumps(manifest, indent=1) + "\n").encode(), force)
    if detection.caveat is not None:
        _note(detection.caveat)
    if algorithm is not None and detection.message is not None and not detection.message.is_sure:
        why = f"message {detection.message.text} is not wholly sure"
        why = "parts of the text name different messages" if detection.message.mixed else why
        _note(f"{why}: no soft binding is written")
    report(
        output,
        f"{output}: {detection.verdict}, p-value {detection.p_value:.2g}; to be signed by C2PA's tools",
    )


def _note(note: str) -> None:
    say(f"note: {note}", err=True)
