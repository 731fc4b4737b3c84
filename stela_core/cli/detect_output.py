"""What ``stela detect`` prints: a table at the end, or a line per text as soon as it is tested."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Sequence
from statistics import median
from typing import Generic, TypeVar

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text as RichText

from stela_core.cli.common import console, print_json
from stela_core.cli.detect_tokens import coloured, token_table
from stela_core.detection.attribution import Attribution
from stela_core.detection.readings import AS_IT_IS
from stela_core.detection.result import FIELDS, Detection, Passage
from stela_core.printable import printable

SHOWN = 160
"""Characters of a passage that are shown."""

COLOURS = {"watermarked": "green", "no watermark found": "default", "insufficient text": "yellow"}

PHRASED = 10
"""Texts too short to be found for sure that are named one by one."""

LIKELY = 0.8
"""Expected power from which nothing is said of it."""

WINDOW = ("start", "end", "p_value")
"""What ``--csv`` gives of a passage."""

READ = ("reading", "readings")
"""What it gives of the readings, last."""

KEYED = ("key_id", "tests")
"""What it gives after that of a profile with several keys."""


Result = TypeVar("Result", bound=Detection | Attribution, contravariant=True)


class Output(ABC, Generic[Result]):
    """Results on stdout."""

    @abstractmethod
    def add(self, source: str, detection: Result) -> None:
        """One text was tested."""

    def end(self) -> None:
        """All were."""


class Nothing(Output[Detection | Attribution]):
    """No results: the exit status is the answer."""

    def add(self, source: str, detection: Detection | Attribution) -> None:
        """Print nothing."""


class JsonLines(Output[Detection | Attribution]):
    """One object per text."""

    def __init__(self, tokens: bool) -> None:
        self._tokens = tokens

    def add(self, source: str, detection: Detection | Attribution) -> None:
        """Print it."""
        print_json({"source": source, **detection.to_dict(self._tokens)})


class CsvLines(Output[Detection]):
    """A row of names, then one row per text."""

    def __init__(self, windows: bool) -> None:
        self._windows = windows
        self._begun = False

    def add(self, source: str, detection: Detection) -> None:
        """Print it."""
        keyed = KEYED if detection.by_key else ()
        if not self._begun:
            self._begun = True
            windows = [f"window_{name}" for name in WINDOW if self._windows]
            print_row(["source", *FIELDS, "p_alike", *windows, "power", *READ, *keyed])
        row = [printable(source), *(getattr(detection, name) for name in (*FIELDS, "p_alike"))]
        if self._windows:
            row += ["" if detection.window is None else getattr(detection.window, name) for name in WINDOW]
        print_row([*row, detection.power, *(getattr(detection, name) for name in (*READ, *keyed))])


def print_row(values: Sequence[object]) -> None:
    """One row of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    click.echo(line.getvalue())


class TableAtTheEnd(Output[Detection]):
    """A table for people, with passages and tokens below it."""

    def __init__(self, tokens: bool) -> None:
        self._tokens = tokens
        self._rows: list[tuple[str, ...]] = []
        self._passages: list[tuple[str, Passage, tuple[Passage, ...]]] = []
        self._kept: list[tuple[str, Detection]] = []
        """Only where tokens are shown: their evidence takes memory."""
        self._read: list[str] = []
        """How texts with several readings were read."""
        self._values: list[tuple[bool, float, float]] = []
        self._texts = 0
        self._threshold = 0.0
        self._keys = 0
        """Of the profile, where it has several."""
        self._short: list[str] = []

    def add(self, source: str, detection: Detection) -> None:
        """Keep it for the table."""
        self._rows.append(
            (
                escape(printable(source)),
                f"[{COLOURS[detection.verdict]}]{detection.verdict}[/]{key_of(detection)}",
                f"{detection.p_value:.2g}",
                f"{detection.z:.2f}",
                str(detection.scored_tokens),
                str(detection.unique_pairs),
                f"{detection.green_fraction:.0%}",
            )
        )
        self._values.append((detection.watermarked, detection.z, detection.p_value))
        self._threshold, self._keys = detection.threshold, len(detection.by_key)
        self.keep(source, detection)

    def keep(self, source: str, detection: Detection) -> None:
        """Keep what is said below the table."""
        self._texts += 1
        if detection.readings > 1:
            self._read.append(detection.reading)
        phrase = power_phrase(detection)
        if phrase is not None:
            self._short.append(f"{escape(printable(source))}: {phrase}")
        if detection.window is not None:
            self._passages.append((source, detection.window, detection.passages))
        if self._tokens:
            self._kept.append((source, detection))

    def end(self) -> None:
        """Print the table, what a verdict means, passages, tokens."""
        table = Table("text", "verdict", "p-value", "z", "scored", "pairs", "green", box=None)
        for row in self._rows:
            table.add_row(*row)
        out = console()
        out.print(table)
        out.print(f"watermarked means p-value <= {self._threshold:g}; no verdict says who wrote a text")
        if self._keys > 1:
            out.print(f"{self._keys} keys of the profile were tested, p-values are times their number")
        if len(self._values) > 1:
            marked, z, p = zip(*self._values, strict=True)
            out.print(
                f"{len(marked)} texts: {sum(marked)} watermarked; "
                f"median z {median(z):.2f}, median p-value {median(p):.2g}"
            )
        self.say_below(out)

    def say_below(self, out: Console) -> None:
        """Readings, expected power, passages, tokens."""
        if self._read:
            other = sum(reading != AS_IT_IS for reading in self._read)
            out.print(
                f"{len(self._read)} of {self._texts} differ from their canonical form or are in capitals: "
                f"all readings were tested, the p-value holds for all, and {other} are shown as changed"
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
        for source, detection in self._kept:
            out.rule(escape(printable(source)))
            out.print(coloured(detection))
            out.print(token_table(detection))


def key_of(detection: Detection) -> str:
    """Which key's mark was found, where the profile has several."""
    return f" (key {detection.key_id})" if detection.by_key and detection.watermarked else ""


def power_phrase(detection: Detection) -> str | None:
    """What a text in which no mark was found is too short for, where it is."""
    if detection.watermarked or detection.power is None or detection.power >= LIKELY:
        return None
    if detection.verdict == "insufficient text":
        return "too short to be found, marked or not"
    tenths = round(10 * detection.power)
    often = f"about {tenths} of 10 cases" if tenths else "fewer than 1 of 10 cases"
    return f"a marked text like this one is found in {often}"


def shortened(text: str) -> RichText:
    """Beginning and end of a passage, on one line."""
    text = " ".join(text.split())
    if len(text) > SHOWN:
        text = f"{text[: SHOWN // 2]} [...] {text[-SHOWN // 2 :]}"
    return RichText(printable(text), "dim")
