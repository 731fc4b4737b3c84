"""``stela profile show`` and ``trust``: what a profile says, and whose it is taken to be."""

from __future__ import annotations

from math import log
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from stela_cli.common import console, registry_of
from stela_cli.printing import printable_json
from stela_core import Registry, StelaError, Watermark
from stela_core.api import Archive, Profile, one_line, printable, resolve_scheme, trusted

LINES = ("key", "null check")
"""Rows of several lines."""


@click.command("show", epilog="\b\nExample:\n  stela profile show p.stela")
@click.argument("profile", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print the profile.json in it.")
@click.pass_context
def profile_show(context: click.Context, profile: str, as_json: bool) -> None:
    """Show what a profile says, after checking its tokenizer and its table."""
    content = Archive.read(profile).profile
    if as_json:
        click.echo(printable_json(content.to_json().decode()), nl=False)
        return
    registry = registry_of(context)
    table = Table(box=None, show_header=False)
    hasher = content.hasher
    rows = {
        "format": content.format,
        "made with": content.created_with,
        "language": content.language or "any",
        "scheme": f"{content.scheme.name} "
        + ", ".join(f"{name} = {value}" for name, value in parameters_of(content, registry).items()),
        "hasher": ", ".join(
            [
                hasher.name,
                *([] if hasher.gamma is None else [f"gamma = {hasher.gamma}"]),
                f"context width = {hasher.context_width}",
                *(f"{name} = {value}" for name, value in hasher.parameters.items()),
                *([] if hasher.device is None else [f"drawn on {hasher.device}"]),
            ]
        ),
        "key": key_row(content),
        "tagger": "none"
        if content.tagger is None
        else f"{content.tagger.name} ({content.tagger.version}), fingerprint {content.tagger.fingerprint}",
        "contexts": "none"
        if content.tagger is None
        else f"k = {content.k}, window = {content.window}, calibration = {content.calibration}",
        "tokenizer": f"{content.vocab_size} tokens, sha256 {content.tokenizer_sha256}",
        "table": "none"
        if content.table_sha256 is None
        else f"{name_of_table(registry, content.table_sha256)}, sha256 {content.table_sha256}",
        "verdict": f"at least {content.min_tokens} distinct pairs, p <= {content.alpha}",
        "null check": checked(content) or "none",
    }
    rows["SHA-256"] = content.digest
    rows["caveat"] = (
        trusted.provenance_of(content, registry).caveat or "none (you made or trusted this profile)"
    )
    # Rows of several lines are made of checked words and of such that are escaped where they are put in.
    rows = {name: value if name in LINES else one_line(value) for name, value in rows.items()}
    for name, value in rows.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    console().print(table)


def name_of_table(registry: Registry, digest: str) -> str:
    """``shipped with DISTRIBUTION VERSION``, or ``not shipped with any installed plugin``."""
    origin = registry.shipper_of(digest)
    if origin is None:
        return "not shipped with any installed plugin"
    return f"shipped with {origin.distribution} {origin.version}"


def parameters_of(profile: Profile, registry: Registry) -> dict[str, Any]:
    """The scheme's parameters, with what a profile of before stands for; as they are without its plugin."""
    try:
        parts = resolve_scheme(registry, profile.scheme.name)
    except StelaError:
        return profile.scheme.parameters
    return {**parts.parameters.of_before(), **profile.scheme.parameters}


def key_row(profile: Profile) -> str:
    """What is known of the key, and of those before it, a line each."""
    hasher = profile.hasher
    if hasher.key_id is None and hasher.key is None:
        return "secret, without an id: a wrong key cannot be recognised"
    keys = hasher.keys
    rows = [
        ", ".join(
            part
            for part in (
                f"id {key.key_id}",
                "secret" if key.key is None else f"public: {key.key}",
                key.epoch,
            )
            if part
        )
        for key in keys
    ]
    return "\n".join([rows[0], *(f"earlier: {row}" for row in rows[1:])])


def checked(profile: Profile) -> str:
    """What the tests of the key on human text said, two lines each; empty where there were none."""
    lines = []
    for check in profile.null_checks:
        rates = ", ".join(
            f"{share.observed:.2g} [{share.low:.2g}, {share.high:.2g}] at {share.level:g}"
            for share in check.shares
        )
        lines += [
            f"{check.tests} texts from {check.documents} documents of {one_line(check.corpus)} "
            f"(sha256 {check.corpus_sha256[:12]}...), keys tried: {check.keys_drawn}; "
            f"z has mean {check.mean_z:+.3f}, sd {check.sd_z:.3f}",
            f"observed false alarms [95 % interval]: {rates}",
        ]
    return "\n".join(lines)


@click.command("trust", epilog="\b\nExample:\n  stela profile trust p.stela")
@click.argument("profile", type=click.Path())
@click.option("--undo", is_flag=True, help="Trust it no longer.")
def profile_trust(profile: str, undo: bool) -> None:
    """Trust a profile: its key and table were fixed before the texts were written.

    Its verdicts then carry no caveat on this machine. Profiles made here are trusted already.
    """
    content = Archive.read(profile).profile
    if not (trusted.remove(content) if undo else trusted.add(content)):
        raise StelaError(
            "the list of your profiles cannot be written.",
            "set STELA_STATE to a folder that you can write to",
        )
    click.echo(f"{profile}: its verdicts carry {'a caveat again' if undo else 'no caveat'} on this machine")


def show_provenance(watermark: Watermark, registry: Registry, file: str) -> None:
    """Print where the table comes from, the caveat of somebody else's profile, published keys."""
    provenance, digest = watermark.provenance, watermark.profile.table_sha256
    if digest is not None:
        click.echo(f"table: {name_of_table(registry, digest)}")
    if provenance.caveat is not None:
        known = f"if you know that: stela profile trust {printable(file)}"
        click.echo(f"caveat: {provenance.caveat} ({known})")
    for key in watermark.keys.known:
        if key.note is not None:
            click.echo(f"note: {key.note}")
    if provenance.foreign_table:
        click.echo(
            "verdicts rest on the larger of two p-values: with the table, and with every token counted alike"
        )
    hasher = watermark.parts.hasher
    if provenance.foreign_tokenizer:
        click.echo(
            "verdicts rest on p-values times the number of ways to cut and number a text: the tokenizer is "
            "not known here, and may have been made for the text"
        )
    elif provenance.log_choices(hasher.log_choices):
        click.echo(f"verdicts rest on p-values times 1e{hasher.log_choices / log(10):.0f}: {hasher.chosen}")
