"""``stela plugins``: what is installed, and whether it works here."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from stela_core.cli.common import console, print_json, registry_of


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
@click.pass_context
def plugins(context: click.Context, as_json: bool) -> None:
    """List what is installed: kind, name, distribution, version, status and a hint."""
    registry = registry_of(context)
    rows = []
    for entry in registry:
        status = entry.component.status()
        rows.append(
            {
                "kind": entry.kind,
                "name": entry.component.name,
                "distribution": entry.origin.distribution,
                "version": entry.origin.version,
                "status": "ok" if status.ok else "unavailable",
                "hint": status.hint,
            }
        )
    rows += [
        {
            "kind": "plugin",
            "name": broken.name,
            "distribution": broken.distribution,
            "version": broken.version,
            "status": "broken",
            "hint": broken.reason,
        }
        for broken in registry.broken
    ]
    if as_json:
        print_json(rows)
        return
    table = Table("kind", "name", "distribution", "version", "status", "hint", box=None)
    for row in rows:
        colour = "green" if row["status"] == "ok" else "red"
        table.add_row(*(f"[{colour}]{row[c]}[/]" if c == "status" else escape(row[c]) for c in row))
    console().print(table)
