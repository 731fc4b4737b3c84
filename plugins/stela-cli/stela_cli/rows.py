"""Detections as rows of a table: the columns of ``stela detect --csv``, of Parquet files and data frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stela_core import Attribution, Detection, StelaError
from stela_core.api import printable

FIRST = (
    "verdict",
    "p_value",
    "z",
    "z_plain",
    "scored_tokens",
    "unique_pairs",
    "green_fraction",
    "threshold",
    "caveat",
    "p_unweighted",
)
"""What a row says of a detection first."""

WINDOW = ("start", "end", "p_value")
"""What a row says of the window that looks marked most."""

READ = ("reading", "readings")
"""What it says of the readings, last."""

KEYED = ("key_id", "tests")
"""What it says after that of a profile with several keys."""

MESSAGES = ("message", "message_error")
"""What it says after that where marks carry messages."""

OF_MARKS = (
    "key_id",
    "verdict",
    "p_value",
    "p_unweighted",
    "p_window",
    "z",
    "unique_pairs",
    "green_fraction",
    "caveat",
)
"""What it says of each mark of an attribution, after source, profile and the number of marks tested."""

COLUMN = {"p_unweighted": "p_alike"}
"""Columns that have another name than what they say."""

STRINGS = {"source", "profile", "verdict", "caveat", "reading", "key_id", "message"}
INTEGERS = {"scored_tokens", "unique_pairs", "window_start", "window_end", "readings", "tests"}
"""Columns of strings and of integers; all others hold numbers."""

Row = tuple[Any, ...]


class Columns(NamedTuple):
    """Which columns there are: those that say something of the detections of a kind."""

    several: bool = False
    """Whether texts were tested for the marks of several profiles: a row for each text and profile then."""
    windows: bool = False
    """Whether windows were scanned; of several profiles there is a column for that anyway."""
    keyed: bool = False
    """Whether the profile has several keys."""
    messages: bool = False
    """Whether the profile's marks carry messages."""

    @classmethod
    def of(cls, results: Sequence[Detection | Attribution]) -> Columns:
        """The columns of all these.

        Raises:
            StelaError: some are detections, others attributions.
        """
        kinds = {isinstance(result, Attribution) for result in results}
        if len(kinds) > 1:
            raise StelaError("detections and attributions have different columns.", "give those of one kind")
        detections = [result for result in results if isinstance(result, Detection)]
        return cls(
            several=kinds == {True},
            windows=any(detection.window is not None for detection in detections),
            keyed=any(detection.by_key for detection in detections),
            messages=any(detection.message is not None for detection in detections),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        if self.several:
            return ("source", "profile", "tests", *(COLUMN.get(name, name) for name in OF_MARKS))
        window = [f"window_{name}" for name in WINDOW] if self.windows else []
        more = (*(KEYED if self.keyed else ()), *(MESSAGES if self.messages else ()))
        return ("source", *(COLUMN.get(name, name) for name in FIRST), *window, "power", *READ, *more)

    def rows(self, source: str, result: Detection | Attribution) -> Iterator[Row]:
        """The rows of one text, a value for each column; ``None`` where there is nothing to say."""
        source = printable(source)
        if isinstance(result, Attribution):
            for tested in result.tested:
                values = [getattr(tested, name) for name in OF_MARKS]
                yield source, printable(tested.name), result.tests, *values
            return
        row = [source, *(getattr(result, name) for name in FIRST)]
        if self.windows:
            row += [None if result.window is None else getattr(result.window, name) for name in WINDOW]
        row += [result.power, *(getattr(result, name) for name in (*READ, *(KEYED if self.keyed else ())))]
        if self.messages:
            message = result.message if result.watermarked else None
            row += [None, None] if message is None else [message.text, message.error]
        yield tuple(row)
