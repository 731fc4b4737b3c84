"""What ``stela detect`` prints for people: a table at the end, passages, and the tokens in colours."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text as RichText

from stela_cli.common import console
from stela_cli.detect_messages import said_of_message, said_of_messages
from stela_cli.detect_output import CsvLines, JsonLines, Nothing, Output, Printed
from stela_cli.registers import Register
from stela_core import Attribution, Detection, Message
from stela_core.api import Passage, printable

SHOWN = 160
"""Characters of a passage that are shown."""

COLOURS = {"watermarked": "green", "no watermark found": "default", "insufficient text": "yellow"}

PHRASED = 10
"""Texts too short to be found for sure that are named one by one."""

COLUMNS = ["text", "verdict", "p-value", "z", "scored", "pairs", "green"]
"""Columns of the table for one profile."""

LIKELY = 0.8
"""Expected power from which nothing is said of it."""

MARKS_SHOWN = 5
"""Marks of a text in the table besides those that were found; the others are in ``--json`` and ``--csv``."""


def output_of(
    printed: Printed,
    several: bool,
    tokens: bool,
    windows: bool,
    messages: bool = False,
    register: Register | None = None,
) -> Output[Any]:
    """What prints detections; where ``several`` marks are tested for, attributions.

    Args:
        printed: in which form.
        several: whether marks of several profiles are tested for.
        tokens: whether tokens are shown.
        windows: whether windows are scanned.
        messages: whether the profile's marks carry messages.
        register: those that were issued.
    """
    if printed is Printed.NOTHING:
        return Nothing()
    if printed is Printed.JSON:
        return JsonLines(tokens, register)
    if printed is Printed.CSV:
        return CsvLines(several, windows, messages)
    return TableOfProfiles(tokens) if several else TableAtTheEnd(tokens, messages)


class TableAtTheEnd(Output[Detection]):
    """A table for people, with passages and tokens below it."""

    def __init__(self, tokens: bool, messages: bool = False) -> None:
        self._tokens = tokens
        self._columns = [*COLUMNS, "message"] if messages else COLUMNS
        self._messages: list[Message] = []
        self._rows: list[tuple[str, ...]] = []
        self._passages: list[tuple[str, Passage, tuple[Passage, ...]]] = []
        self._detections: list[tuple[str, Detection]] = []
        """Detections with their sources, kept only where tokens are shown: their evidence takes memory."""
        self._read: list[str] = []
        """How texts with several readings were read."""
        self._values: list[tuple[bool, float, float]] = []
        self._texts = 0
        self._threshold = 0.0
        self._keys = 0
        """How many were tested, where there are several."""
        self._short: list[str] = []

    def add(self, source: str, detection: Detection) -> None:
        """Keep it for the table."""
        message = detection.message if detection.watermarked else None
        self._rows.append(
            (
                escape(printable(source)),
                f"[{COLOURS[detection.verdict]}]{detection.verdict}[/]{key_of(detection)}",
                f"{detection.p_value:.2g}",
                f"{detection.z:.2f}",
                str(detection.scored_tokens),
                str(detection.unique_pairs),
                f"{detection.green_fraction:.0%}",
                "" if message is None else message.text,
            )[: len(self._columns)]
        )
        self._values.append((detection.watermarked, detection.z, detection.p_value))
        self._threshold, self._keys = detection.threshold, detection.tests if detection.by_key else 0
        self.keep(source, detection)

    def keep(self, source: str, detection: Detection) -> None:
        """Keep what is said below the table."""
        self._texts += 1
        if detection.watermarked and detection.message is not None:
            self._messages.append(detection.message)
        if detection.readings > 1:
            self._read.append(detection.reading)
        phrase = power_phrase(detection)
        if phrase is not None:
            self._short.append(f"{escape(printable(source))}: {phrase}")
        if detection.window is not None:
            self._passages.append((source, detection.window, detection.passages))
        if self._tokens:
            self._detections.append((source, detection))

    def end(self) -> None:
        """Print the table, what a verdict means, passages, tokens."""
        table = Table(*self._columns, box=None)
        for row in self._rows:
            table.add_row(*row)
        out = console()
        out.print(table)
        out.print(f"watermarked means p-value <= {self._threshold:g}; no verdict says who wrote a text")
        if self._keys > 1:
            out.print(f"{self._keys:,} keys were tested, p-values are times their number")
        if len(self._values) > 1:
            marked, z, p = zip(*self._values, strict=True)
            out.print(
                f"{len(marked)} texts: {sum(marked)} watermarked; "
                f"median z {median(z):.2f}, median p-value {median(p):.2g}"
            )
        self.say_below(out)

    def say_below(self, out: Console) -> None:
        """Messages, readings, expected power, passages, tokens."""
        if (line := said_of_messages(self._messages)) is not None:
            out.print(line)
        if self._read:
            other = sum(reading != "as it is" for reading in self._read)
            out.print(
                "tested also with spacing, look-alike letters and capitals normalised: "
                f"{len(self._read)} of {self._texts}; p-values allow for that, and {other} rest on that form"
            )
        for phrase in self._short[:PHRASED]:
            out.print(phrase)
        if len(self._short) > PHRASED:
            out.print(f"{len(self._short) - PHRASED} more texts are as short; their power is in --json")
        for source, best, passages in self._passages:
            name, tried = escape(printable(source)), f"after correction for {best.windows} windows"
            if not passages:
                out.print(
                    f"{name}: characters {best.start}-{best.end} look marked most, "
                    f"p-value {best.p_value:.2g} {tried}:"
                )
                out.print(shortened(best.text))
            for passage in passages:
                out.print(
                    f"{name}: characters {passage.start}-{passage.end} look marked, "
                    f"p-value {passage.p_value:.2g} {tried}:"
                )
                out.print(shortened(passage.text))
                if passage.message is not None:
                    out.print(said_of_message(passage.message))
        for source, detection in self._detections:
            out.rule(escape(printable(source)))
            out.print(coloured(detection))
            out.print(token_table(detection))


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
        self._tests = attribution.tests
        self._below.keep(source, attribution.detection)
        shown = attribution.tested[: max(MARKS_SHOWN, len(attribution.marks))]
        for number, tested in enumerate(shown):
            self._table.add_row(
                "" if number else escape(printable(source)),
                escape(printable(tested.name)),
                tested.key_id or "",
                f"[{COLOURS[tested.verdict]}]{tested.verdict}[/]",
                f"{tested.p:.2g}",
                f"{tested.z:.2f}",
                str(tested.unique_pairs),
                f"{tested.green_fraction:.0%}",
            )
        rest = attribution.tested[len(shown) :]
        if rest:
            least = min(tested.p for tested in rest)
            self._table.add_row("", f"{len(rest)} more", "", "", f"from {least:.2g}", "", "", "")
        for mark in attribution.marks:
            self._owners[mark.name] += 1
            if mark.caveat is not None:
                self._caveats[mark.name] = mark.caveat.partition(";")[0]

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


def key_of(detection: Detection) -> str:
    """Which key's mark was found, where the profile has several."""
    if not (detection.by_key and detection.watermarked):
        return ""
    return f" (key {escape(printable(str(detection.key_id)))})"


def power_phrase(detection: Detection) -> str | None:
    """What a text in which no mark was found is too short for, where it is."""
    if detection.watermarked or detection.power is None or detection.power >= LIKELY:
        return None
    if detection.verdict == "insufficient text":
        return "too short: even a marked text of this length would not be found"
    tenths = round(10 * detection.power)
    often = f"about {tenths} of 10 cases" if tenths else "fewer than 1 of 10 cases"
    return f"a marked text like this one is found in {often}"


def shortened(text: str) -> RichText:
    """Beginning and end of a passage, on one line."""
    text = " ".join(text.split())
    if len(text) > SHOWN:
        text = f"{text[: SHOWN // 2]} [...] {text[-SHOWN // 2 :]}"
    return RichText(printable(text), "dim")


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
