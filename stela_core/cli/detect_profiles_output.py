"""What ``stela detect --profiles`` prints: each text under each profile, what looks marked most first."""

from __future__ import annotations

from collections import Counter

from rich.markup import escape
from rich.table import Table

from stela_core.cli.common import console
from stela_core.cli.detect_output import COLOURS, Output, TableAtTheEnd, print_row
from stela_core.detection.attribution import Attribution, Tested
from stela_core.printable import printable

SHOWN = 5
"""Marks of a text in the table beside those that were found; the others are in ``--json`` and ``--csv``."""

FIELDS = (
    "key_id",
    "verdict",
    "p_value",
    "p_alike",
    "p_window",
    "z",
    "unique_pairs",
    "green_fraction",
    "caveat",
)
"""What ``--csv`` gives of each mark, after the text, the profile and the number of marks tested."""


class CsvOfProfiles(Output[Attribution]):
    """A row of names, then one row per text and profile."""

    def __init__(self) -> None:
        self._begun = False

    def add(self, source: str, attribution: Attribution) -> None:
        """Print its rows."""
        if not self._begun:
            self._begun = True
            print_row(["source", "profile", "tests", *FIELDS])
        for one in attribution.tested:
            values = [getattr(one, name) for name in FIELDS]
            print_row([printable(source), printable(one.name), len(attribution.tested), *values])


class TableOfProfiles(Output[Attribution]):
    """A table for people, with the passages and tokens of the best marks below it."""

    def __init__(self, tokens: bool) -> None:
        self._table = Table("text", "profile", "key", "verdict", "p-value", "z", "pairs", "green", box=None)
        self._below = TableAtTheEnd(tokens)
        self._texts = self._tests = 0
        self._owners: Counter[str] = Counter()
        self._caveats: dict[str, str] = {}

    def add(self, source: str, attribution: Attribution) -> None:
        """Keep it for the table."""
        self._texts += 1
        self._tests = len(attribution.tested)
        self._below.keep(source, attribution.detection)
        shown = attribution.tested[: max(SHOWN, len(attribution.marks))]
        for number, one in enumerate(shown):
            self._add_row("" if number else escape(printable(source)), one)
        rest = attribution.tested[len(shown) :]
        if rest:
            least = min(one.p for one in rest)
            self._table.add_row("", f"{len(rest)} more", "", "", f"from {least:.2g}", "", "", "")
        for one in attribution.marks:
            self._owners[one.name] += 1
            if one.caveat is not None:
                self._caveats[one.name] = one.caveat.partition(";")[0]

    def _add_row(self, text: str, one: Tested) -> None:
        self._table.add_row(
            text,
            escape(printable(one.name)),
            one.key_id or "",
            f"[{COLOURS[one.verdict]}]{one.verdict}[/]",
            f"{one.p:.2g}",
            f"{one.z:.2f}",
            str(one.unique_pairs),
            f"{one.green_fraction:.0%}",
        )

    def end(self) -> None:
        """Print the table, what it means, and what is said below."""
        out = console()
        out.print(self._table)
        marks = "1 mark was" if self._tests == 1 else f"{self._tests} marks were"
        out.print(
            f"{marks} tested, p-values are times their number; watermarked means p-value <= the profile's "
            "alpha; no verdict says who wrote a text"
        )
        if self._texts > 1:
            owners = ", ".join(
                f"{escape(printable(name))} {count}" for name, count in self._owners.most_common()
            )
            out.print(f"{self._texts} texts; marks found: {owners or 'none'}")
        for name, caveat in self._caveats.items():
            out.print(f"caveat of {escape(printable(name))}: {escape(printable(caveat))}")
        self._below.say_below(out)
