"""The tokens of a text on the terminal: in colours, and in a table."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table
from rich.text import Text as RichText

from stela_core.detection.result import Detection
from stela_core.printable import printable


def coloured(detection: Detection) -> RichText:
    """Green tokens on green, brighter with more weight; red ones in red; passages underlined."""
    top = max((token.weight or 0.0 for token in detection.tokens), default=0.0) or 1.0
    line = RichText()
    marked = {n for passage in detection.passages for n in range(passage.token_start, passage.token_end)}
    for number, token in enumerate(detection.tokens):
        text = printable(token.text)
        under = " underline" if number in marked else ""
        if token.weight is None:
            line.append(text, f"dim{under}")
        elif token.green:
            shade = int(70 + 110 * token.weight / top)
            line.append(text, f"black on rgb({shade // 3},{shade + 40},{shade // 3}){under}")
        else:
            line.append(text, f"red{under}")
    return line


def token_table(detection: Detection) -> Table:
    """One row per token."""
    table = Table("token", "green", "weight", "context", box=None)
    for token in detection.tokens:
        table.add_row(
            escape(printable(repr(token.text))),
            {True: "[green]green[/]", False: "[red]red[/]", None: "-"}[token.green],
            "-" if token.weight is None else f"{token.weight:.3f}",
            escape(printable(" ".join(token.context or ()) or "-")),
        )
    return table
