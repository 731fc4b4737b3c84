"""``stela verdict``: keys that sign the verdicts of a service, and whether a signed one holds, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from stela_core.api import digest_of, parse_json, read_archive, read_bounded, say
from stela_serve.envelope import HINT, opened
from stela_serve.limits import MEBIBYTE
from stela_serve.signer import id_of, public_key_of, read_signer, write_signer
from stela_serve.verdicts import parsed, text_hash

LARGEST = 4 * MEBIBYTE


@click.group("verdict", help="Signed verdicts of a service: make its key, check what it signed.")
def verdict() -> None:
    """Hold the commands."""


@verdict.command("key")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), metavar="FILE")
def key(output: str) -> None:
    """Draw a signing key into a new file (Ed25519, PEM), and print its public half."""
    signer = write_signer(output)
    say(f"{output}: signing key {signer.key_id}, public key {signer.public_key.hex()}")


@verdict.command("public")
@click.argument("file", metavar="FILE")
def public(file: str) -> None:
    """Print the public half of a signing key: 64 hex digits."""
    say(read_signer(file).public_key.hex())


@verdict.command("verify")
@click.argument("file", metavar="FILE")
@click.option("--signer", required=True, metavar="KEY", help="Public key: 64 hex digits, or a file of them.")
@click.option("--text", metavar="FILE", help="The text, in UTF-8, that it should be of.")
@click.option("--profile", metavar="P.stela", help="A profile that should have been tested for.")
def verify(file: str, signer: str, text: str | None, profile: str | None) -> int:
    """Check a signed verdict (one object of signed, in JSON) against the key that should have signed it.

    Exit status: 0 all that was asked holds, 1 something does not, 2 it could not be checked.
    """
    public_key = public_key_of(signer)
    envelope = parse_json(read_bounded(file, LARGEST, f'verdict "{file}"', HINT), f'"{file}"', HINT)
    payload = opened(envelope, public_key)
    if payload is None:
        say(f"signature: does not hold; nothing in {file} is key {id_of(public_key)}'s word")
        return 1
    said = parsed(payload)
    say(f"signature: holds, key {id_of(public_key)}, {said['time']}")
    same = True
    if text is not None:
        data = read_bounded(text, LARGEST, f'text "{text}"', "name the file of the text")
        same = text_hash(data.decode("utf-8", "replace")) == said["text_sha256"]
        say(f"text: {'is the one that was tested' if same else 'is another one, to the last character'}")
    known = True
    if profile is not None:
        digest = digest_of(read_archive(Path(profile)).profile)
        known = digest in [one.get("fingerprint") for one in said["tested"] if isinstance(one, dict)]
        say(f"profile: {'was tested for' if known else 'was not tested for'}")
    say(f"verdict: {summary(said['result'])}")
    return int(not (same and known))


def summary(result: dict[str, Any]) -> str:
    """A result in a line."""
    marked = f", {result['profile']}" if "profile" in result else ""
    p = f"p-value {result.get('p_value')} (threshold {result.get('threshold')})"
    return f"{result.get('verdict')}, {p}{marked}"
