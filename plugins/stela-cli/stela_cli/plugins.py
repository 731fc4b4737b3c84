"""``stela plugins``: what is installed, and whether it works here."""

from __future__ import annotations

import click
from rich.markup import escape
from rich.table import Table

from stela_cli.common import console, registry_of
from stela_cli.printing import print_json


@click.command("plugins", epilog="\b\nExample:\n  stela plugins")
@click.option("--json", "as_json", is_flag=True, help="Print a list in JSON.")
@click.pass_context
def plugins(context: click.Context, as_json: bool) -> None:
    """List the installed plugins, and say what does not work here.

    The model is the one that a tagger loads by default.
    """
    registry = registry_of(context)
    rows = []
    for entry in registry:
        status = entry.status()
        fields = entry.component.Parameters.model_fields if entry.kind == "tagger" else {}
        model = fields.get("model")
        rows.append(
            {
                "kind": entry.kind,
                "name": entry.component.name,
                "model": "" if model is None else str(model.get_default(call_default_factory=True) or ""),
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
            "model": "",
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
    table = Table("kind", "name", "model", "distribution", "version", "status", "hint", box=None)
    for row in rows:
        colour = "green" if row["status"] == "ok" else "red"
        table.add_row(*(f"[{colour}]{row[c]}[/]" if c == "status" else escape(row[c]) for c in row))
    console().print(table)
