"""Who chose table and key of a profile, below its verdicts."""

from __future__ import annotations

from math import log

import click

from stela_core.printable import printable
from stela_core.profile.rotation import note_of
from stela_core.registry.components import Registry
from stela_core.tables.known import name_of_table
from stela_core.watermark import Watermark


def show_standing(watermark: Watermark, registry: Registry, file: str) -> None:
    """Print where the table comes from, the caveat of somebody else's profile, published keys."""
    standing, digest = watermark.standing, watermark.profile.table_sha256
    if digest is not None:
        click.echo(f"table: {name_of_table(registry, digest)}")
    if standing.caveat is not None:
        trust = f"if you know that: stela profile trust {printable(file)}"
        click.echo(f"caveat: {standing.caveat} ({trust})")
    for key in watermark.keyed.keys.known:
        if key.published is not None:
            click.echo(f"note: {note_of(key.key_id, key.published)}")
    if standing.strange_table:
        click.echo(
            "verdicts rest on the larger of two p-values: with the table, and with every token counted alike"
        )
    log_choices = watermark.parts.hasher.log_choices
    if standing.choices_of(log_choices) > 1:
        number = f"1e{log_choices / log(10):.0f}"
        click.echo(
            f"verdicts rest on p-values times {number}, the number of keys: they are chosen part by part"
        )
