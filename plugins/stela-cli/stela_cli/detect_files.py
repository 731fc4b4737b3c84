"""Files that ``stela detect`` writes in addition to what it prints: Parquet, and a report in HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_cli.detect_output import Output
from stela_cli.detect_parquet import ParquetFile, require_pyarrow
from stela_core.api import lent, opened_atomically, require_free

if TYPE_CHECKING:
    from stela_core import Watermark


@dataclass
class ResultFiles:
    """What the options ask for; whatever cannot be written is refused before any text is tested.

    Raises:
        StelaError: there is a file of the name already, it cannot be written, or what writes it is not
            installed.
    """

    parquet: str | None
    html: str | None
    force: bool
    _report: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        for name in (self.parquet, self.html):
            if name is not None:
                require_free(Path(name), self.force)
        if self.parquet is not None:
            require_pyarrow()
        if self.html is not None:
            self._report = lent("DetectionReport", "stela detect --html")

    @contextmanager
    def opened(
        self,
        watermarks: Mapping[str, Watermark],
        several: bool,
        windows: bool,
        tokens: bool,
        messages: bool = False,
    ) -> Iterator[list[Output[Any]]]:
        """What results are added to; the files are there at the end, or, where the body raises, none is.

        Args:
            watermarks: those that are tested for, by the names of their profiles.
            several: whether results are attributions.
            windows: whether windows are scanned.
            tokens: whether colours of tokens are shown even where a key is secret.
            messages: whether marks carry messages.
        """
        with ExitStack() as stack:
            outputs: list[Output[Any]] = []
            if self.parquet is not None:
                file = stack.enter_context(opened_atomically(Path(self.parquet), self.force))
                outputs.append(ParquetFile(file, several, windows, messages))
            if self.html is not None:
                file = stack.enter_context(opened_atomically(Path(self.html), self.force))
                outputs.append(self._report(file, watermarks, tokens))
            yield outputs
            for output in outputs:
                output.end()
