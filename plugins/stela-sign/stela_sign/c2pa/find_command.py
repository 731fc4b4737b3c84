"""``stela c2pa find``: the manifest definitions of the message in a text."""

from __future__ import annotations

import click
from stela_cli.common import key_from, registry_of
from stela_cli.one_text import one_text
from stela_cli.printing import say

import stela_core as stela
from stela_core.api import one_line
from stela_sign.c2pa.command import soft_binding_option
from stela_sign.c2pa.soft_binding import algorithm_of

SHOWN = 20
"""Files that could not be read which are named; the others are counted."""

MOST_BITS = 64


@click.command("find", epilog="\b\nExample:\n  stela c2pa find manifests/ marked.txt --profile p.stela")
@click.argument("folder", type=click.Path(file_okay=False))
@click.argument("file", required=False, type=click.Path())
@click.option("--message", metavar="HEX", help="Message, in hex digits.")
@click.option("--profile", metavar="P.stela", help="Profile that marked the text of FILE.")
@click.option("--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]")
@soft_binding_option
@click.pass_context
def find(
    context: click.Context,
    folder: str,
    file: str | None,
    message: str | None,
    profile: str | None,
    key_file: str | None,
    soft_binding: str,
) -> int:
    """Find the manifest definitions in FOLDER whose soft binding is a message.

    The message is given, or read in the text of FILE. Each definition is printed with who made the text and
    with the text's SHA-256. The exit status is 1 if there is none.
    """
    from stela_sign.c2pa.lookup import definitions_of

    algorithm = algorithm_of(soft_binding)
    if algorithm is None:
        raise stela.StelaError("--soft-binding none finds nothing.", "name the algorithm, or leave it out")
    if (file is None) == (message is None):
        raise stela.StelaError(
            "give a message or a file, one of the two.", "--message HEX, or FILE --profile P"
        )
    key_id = None
    if file is not None:
        value, key_id = _read(context, file, profile, key_file)
    else:
        assert message is not None
        value = stela.Encoder.number_of(message, MOST_BITS)
    skipped: list[str] = []
    definitions = list(definitions_of(folder, value, key_id, algorithm, skipped.append))
    for one in definitions:
        say(f"{one_line(one.path)}: made by {one_line(one.creator)}, text SHA-256 {one.text_sha256}")
    for line in skipped[:SHOWN]:
        say(f"note: skipped: {one_line(line)}", err=True)
    if len(skipped) > SHOWN:
        say(f"note: skipped: {len(skipped) - SHOWN:,} more files", err=True)
    if not definitions:
        say(f"no manifest definition in {one_line(folder)} has message {value:x}", err=True)
    return int(not definitions)


def _read(
    context: click.Context, file: str, profile: str | None, key_file: str | None
) -> tuple[int, str | None]:
    """The message of a text, and the id of the key that it was read with."""
    if profile is None:
        raise stela.StelaError("a text's message is read with a profile.", "name it with --profile")
    registry = registry_of(context)
    watermark = stela.load(profile, key_from(key_file), registry)
    detection = watermark.detect(one_text(file, registry))
    message = detection.message
    if not detection.watermarked or message is None or not message.is_sure:
        said = "" if message is None or not detection.watermarked else f", message {message.text}"
        raise stela.StelaError(
            f"{file}: {detection.verdict}{said}: no message is wholly sure.",
            "give a longer text, or --message",
        )
    return message.value, detection.key_id or watermark.profile.hasher.key_id
