"""What ``stela detect`` does with each batch of texts: tests it for one mark, or for several, and prints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from stela_core.cli.detect_output import CsvLines, JsonLines, Nothing, Output, TableAtTheEnd
from stela_core.cli.detect_profiles_output import CsvOfProfiles, TableOfProfiles
from stela_core.detection.attribution import Attribution
from stela_core.detection.result import Detection
from stela_core.documents.kinds import Text
from stela_core.errors import StelaError
from stela_core.watermark import Watermark
from stela_core.watermarks import Watermarks

if TYPE_CHECKING:
    from stela_core.models.load import LanguageModel

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


class Tester(ABC):
    """Tests texts and prints what comes of it."""

    most = BATCH
    """Texts of one call."""

    @abstractmethod
    def test(self, texts: Sequence[Text], prompts: Sequence[str] | None, as_it_is: bool) -> bool:
        """Test and print; whether a mark was found in all of them."""

    @abstractmethod
    def end(self) -> None:
        """All texts were tested."""


class OneMark(Tester):
    """Texts under one profile."""

    def __init__(
        self,
        watermark: Watermark,
        model: LanguageModel | None,
        printed: Printed,
        tokens: bool,
        windows: bool,
    ) -> None:
        self._watermark, self._model, self._windows = watermark, model, windows
        self._output: Output[Detection]
        if printed is Printed.NOTHING:
            self._output = Nothing()
        elif printed is Printed.CSV:
            self._output = CsvLines(windows)
        else:
            self._output = JsonLines(tokens) if printed is Printed.JSON else TableAtTheEnd(tokens)

    def test(self, texts: Sequence[Text], prompts: Sequence[str] | None, as_it_is: bool) -> bool:
        """Each text by the profile's own thresholds."""
        bare = [text.text for text in texts]
        detections = self._watermark.detect_many(bare, self._model, prompts, as_it_is)
        if self._windows:
            detections = [self._watermark.with_passage(detection) for detection in detections]
        for text, detection in zip(texts, detections, strict=True):
            self._output.add(text.source, detection)
        return all(detection.watermarked for detection in detections)

    def end(self) -> None:
        """Print the table, where there is one."""
        self._output.end()


class SeveralMarks(Tester):
    """Texts under all profiles of a folder."""

    def __init__(self, watermarks: Watermarks, printed: Printed, tokens: bool, windows: bool) -> None:
        self._watermarks, self._windows = watermarks, windows
        self.most = max(FEWEST, min(BATCH, TESTS // len(watermarks)))
        self._output: Output[Attribution]
        if printed is Printed.NOTHING:
            self._output = Nothing()
        elif printed is Printed.CSV:
            self._output = CsvOfProfiles()
        else:
            self._output = JsonLines(tokens) if printed is Printed.JSON else TableOfProfiles(tokens)

    def test(self, texts: Sequence[Text], prompts: Sequence[str] | None, as_it_is: bool) -> bool:
        """Each text for all marks; one is found where that of any profile is."""
        attributions = self._watermarks.detect_many(
            [text.text for text in texts], prompts, as_it_is, self._windows
        )
        for text, attribution in zip(texts, attributions, strict=True):
            self._output.add(text.source, attribution)
        return all(attribution.watermarked for attribution in attributions)

    def end(self) -> None:
        """Print the table, where there is one."""
        self._output.end()
