"""Detections as a pandas ``DataFrame``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from stela_cli.rows import INTEGERS, STRINGS, Columns
from stela_core import Attribution, Detection, MissingLibraryError, StelaError

if TYPE_CHECKING:
    import pandas as pd


def to_frame(
    detections: Iterable[Detection | Attribution], sources: Sequence[str] | None = None
) -> pd.DataFrame:
    """Detections as a data frame, with the columns of ``stela detect --csv``.

    A detection has one row. An attribution has one row for each mark that was tested.

    Args:
        detections: what ``detect_many`` returned, of a :class:`Watermark` or of :class:`Watermarks`.
        sources: what to call each text; by default its number, from 0.

    Returns:
        Strings, int64 and float64. What may be missing is ``None``, ``<NA>`` (``Int64``) or NaN.

    Raises:
        StelaError: pandas is not installed, there are more or fewer sources than detections, or some
            results are detections and others attributions.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingLibraryError("pandas", "a data frame", '"stela-cli[frame]"') from None
    results = list(detections)
    names = [str(number) for number in range(len(results))] if sources is None else list(sources)
    if len(names) != len(results):
        raise StelaError(f"{len(names)} sources for {len(results)} detections.", "give one for each text")
    columns = Columns.of(results)
    rows = [row for name, result in zip(names, results, strict=True) for row in columns.rows(name, result)]
    values = zip(*rows, strict=True) if rows else [()] * len(columns.names)
    series = {}
    for name, column in zip(columns.names, values, strict=True):
        some_missing = None in column
        kind = "object" if name in STRINGS else "float64"
        if name in INTEGERS:
            kind = "Int64" if some_missing or name.startswith("window") else "int64"
        series[name] = pd.Series(list(column), dtype=kind)
    return pd.DataFrame(series)
