"""What ``stela detect`` prints line by line: JSON, CSV, nothing; and how many texts there were."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Generic, TypeVar, get_args

import click

from stela_cli.printing import print_json, say
from stela_cli.registers import Register
from stela_cli.rows import Columns
from stela_core import Attribution, Detection, StelaError
from stela_core.api import Verdict

MARKS = 5
"""Most profiles whose number of marked texts is printed."""

Result = TypeVar("Result", bound=Detection | Attribution, contravariant=True)


class Printed(Enum):
    """What results are printed as."""

    NOTHING = "nothing"
    CSV = "csv"
    JSON = "json"
    TABLE = "table"

    @classmethod
    def chosen(cls, as_json: bool, as_csv: bool, quiet: bool, tokens: bool) -> Printed:
        """The form of output that the options ask for.

        Raises:
            StelaError: options that exclude each other.
        """
        if as_json + as_csv + quiet > 1:
            raise StelaError("--json, --csv and --quiet exclude each other.", "give one of them")
        if as_csv and tokens:
            raise StelaError("--csv has one row per text, and no tokens.", "use --json with --tokens")
        if quiet:
            return cls.NOTHING
        return cls.CSV if as_csv else cls.JSON if as_json else cls.TABLE


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

    def __init__(self, tokens: bool, register: Register | None = None) -> None:
        self._tokens = tokens
        self._register = register

    def add(self, source: str, detection: Detection | Attribution) -> None:
        """Print it."""
        fields = detection.to_dict(self._tokens)
        if self._register is not None and isinstance(detection, Detection):
            fields = self._register.said(detection, fields)
        print_json({"source": source, **fields})


class CsvLines(Output[Detection | Attribution]):
    """A row of names, then one row for each text, or for each text and profile."""

    def __init__(self, several: bool, windows: bool, messages: bool = False) -> None:
        self._columns = Columns(several, windows, messages=messages)
        self._begun = False

    def add(self, source: str, detection: Detection | Attribution) -> None:
        """Print it."""
        if not self._begun:
            self._begun = True
            if isinstance(detection, Detection):
                self._columns = self._columns._replace(keyed=bool(detection.by_key))
            print_row(self._columns.names)
        for row in self._columns.rows(source, detection):
            print_row(row)


def print_row(values: Sequence[object]) -> None:
    """One row of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(values)
    click.echo(line.getvalue())


class Total:
    """Texts tested so far, by their verdicts."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._marks: Counter[str] = Counter()

    @property
    def texts(self) -> int:
        """How many there were."""
        return self._verdicts.total()

    def add(self, result: Detection | Attribution) -> None:
        """One text was tested."""
        self._verdicts[result.verdict] += 1
        if isinstance(result, Attribution):
            self._marks.update(mark.name for mark in result.marks)

    def say(self, failed: int, err: bool) -> None:
        """Print the line.

        Args:
            failed: texts and files that could not be tested.
            err: on standard error, where standard output is for programs.
        """
        texts = self._verdicts.total()
        counts = ", ".join(f"{self._verdicts[verdict]:,} {verdict}" for verdict in get_args(Verdict))
        line = f"total: {texts:,} text{'' if texts == 1 else 's'} tested: {counts}"
        if self._marks:
            named = [f"{name} {count:,}" for name, count in self._marks.most_common(MARKS)]
            rest = len(self._marks) - len(named)
            line += f"; marks found: {', '.join(named)}" + (f" and {rest} more" if rest else "")
        say(line + (f"; {failed:,} could not be tested" if failed else ""), err)
