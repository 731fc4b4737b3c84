"""What ``stela detect`` prints results as, and how many texts it tests at once."""

from __future__ import annotations

from enum import Enum
from typing import Any

from stela_core.cli.detect_output import CsvLines, JsonLines, Nothing, Output, TableAtTheEnd
from stela_core.cli.detect_profiles_output import CsvOfProfiles, TableOfProfiles
from stela_core.errors import StelaError

BATCH = 256
"""Texts handed to the detector at once: enough for a fast batch, few enough to show progress."""

TESTS = 2_048
"""Texts of a batch times marks, about: each batch shows progress."""

FEWEST = 8
"""Texts of a batch, however many marks there are: a tagger is called once a batch."""


class Printed(Enum):
    """What results are printed as."""

    NOTHING = "nothing"
    CSV = "csv"
    JSON = "json"
    TABLE = "table"

    @classmethod
    def chosen(cls, as_json: bool, as_csv: bool, quiet: bool, tokens: bool) -> Printed:
        """By the options.

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


def output_of(printed: Printed, several: bool, tokens: bool, windows: bool) -> Output[Any]:
    """What prints detections; where ``several`` marks are tested for, attributions."""
    if printed is Printed.NOTHING:
        return Nothing()
    if printed is Printed.JSON:
        return JsonLines(tokens)
    if printed is Printed.CSV:
        return CsvOfProfiles() if several else CsvLines(windows)
    return TableOfProfiles(tokens) if several else TableAtTheEnd(tokens)


def texts_at_once(marks: int) -> int:
    """Texts of a part that is tested for so many marks."""
    return BATCH if marks == 1 else max(FEWEST, min(BATCH, TESTS // marks))
