"""What a value table holds, on the terminal: part of ``stela lambda show``."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table
from stela_cli.common import console
from stela_cli.printing import print_json

from stela_tables.values import UNIT, ValueTable


def show_values(table: ValueTable, top: int, as_json: bool) -> None:
    """Print what was learned, from what, and the highest and lowest values."""
    ranked = sorted(table.values.items(), key=lambda item: (item[1], item[0]))
    facts = {
        "quantity": table.quantity,
        "key": table.key,
        "longest": table.longest,
        "language": table.language,
        "tagger": None if table.tagger is None else table.tagger._asdict(),
        "learned": table.learned._asdict(),
        "contexts": len(table.values),
        "mean_over_tokens": table.mean("tokens"),
        "mean_over_types": table.mean("types"),
        "sha256": table.sha256,
    }
    highest, lowest = ranked[::-1][:top], ranked[:top]
    if as_json:
        lists = {"top": _objects(highest), "bottom": _objects(lowest)}
        print_json({**facts, **lists})
        return
    out = console()
    grid = Table(box=None, show_header=False)
    for name, value in facts.items():
        if name == "learned":
            value = f"from {table.learned.model}: {table.learned.tokens} tokens of "
            value += f"{', '.join(table.learned.corpora)}; {table.learned.settings}"
        elif name == "tagger":
            value = "none: by characters" if table.tagger is None else table.tagger.name
        shown = f"{value:.4f}" if isinstance(value, float) else str(value)
        grid.add_row(f"[bold]{name.replace('_', ' ')}[/]", escape(shown))
    out.print(grid)
    for title, entries in (("highest", highest), ("lowest", lowest)):
        lists_of = Table(title, "value", box=None)
        for context, units in entries:
            lists_of.add_row(
                escape(repr(context) if table.key == "characters" else context), f"{units / UNIT:.3f}"
            )
        out.print(lists_of)


def _objects(entries: list[tuple[str, int]]) -> list[dict[str, object]]:
    return [{"context": context, "value": units / UNIT} for context, units in entries]
