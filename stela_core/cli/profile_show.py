"""``stela profile show``: print what a profile says."""

from __future__ import annotations

from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from stela_core.cli.common import console, registry_of
from stela_core.composition import resolve_scheme
from stela_core.errors import StelaError
from stela_core.printable import one_line, printable_json
from stela_core.profile.archive import read_archive
from stela_core.profile.epochs import spelled
from stela_core.profile.opened import full_parameters
from stela_core.profile.schema import HasherPart, NullCheck, Profile, to_json
from stela_core.profile.standing import standing_of
from stela_core.registry.components import Registry
from stela_core.tables.known import name_of_table

LINES = ("key", "null check")
"""Rows of several lines."""


@click.command("show")
@click.argument("profile", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print profile.json.")
@click.pass_context
def profile_show(context: click.Context, profile: str, as_json: bool) -> None:
    """Show a profile; its tokenizer and table are checked against it."""
    content = read_archive(profile).profile
    if as_json:
        click.echo(printable_json(to_json(content).decode()), nl=False)
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
        "key": key_row(hasher),
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
        "null check": "\n".join(map(checked, content.null_checks)) or "none",
    }
    rows["SHA-256"] = content.digest
    rows["caveat"] = standing_of(content, registry).caveat or "none: made here, or trusted"
    # Rows of several lines are made of checked words and of such that are escaped where they are put in.
    rows = {name: value if name in LINES else one_line(value) for name, value in rows.items()}
    for name, value in rows.items():
        table.add_row(f"[bold]{name}[/]", escape(value))
    console().print(table)


def parameters_of(profile: Profile, registry: Registry) -> dict[str, Any]:
    """The scheme's parameters, with what a profile of before stands for; as they are without its plugin."""
    try:
        parts = resolve_scheme(registry, profile.scheme.name)
    except StelaError:
        return profile.scheme.parameters
    return full_parameters(parts, profile)


def key_row(hasher: HasherPart) -> str:
    """What is known of the key, and of those before it, a line each."""
    if hasher.key_id is None and hasher.key is None:
        return "secret, without an id: a wrong one cannot be told"
    keys = hasher.keys
    rows = [
        ", ".join(
            part
            for part in (
                f"id {key.key_id}",
                "secret" if key.key is None else f"public: {key.key}",
                spelled(key),
            )
            if part
        )
        for key in keys
    ]
    return "\n".join([rows[0], *(f"earlier: {row}" for row in rows[1:])])


def checked(check: NullCheck) -> str:
    """What the test of the key on human text said, in two lines."""
    rates = ", ".join(
        f"{share.observed:.2g} [{share.low:.2g}, {share.high:.2g}] at {share.level:g}"
        for share in check.shares
    )
    return (
        f"{check.tests} texts from {check.documents} documents of {one_line(check.corpus)} "
        f"(sha256 {check.corpus_sha256[:12]}...), keys tried: {check.keys_drawn}; "
        f"z has mean {check.mean_z:+.3f}, sd {check.sd_z:.3f}\n"
        f"observed false alarms [95 % interval]: {rates}"
    )
