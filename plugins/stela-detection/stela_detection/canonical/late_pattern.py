"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """What the pattern has; kept here, so that it is asked once."""
        value = getattr(re.compile(*self._given), name)
        setattr(self, name, value)
        return value


def late_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern like that of ``re.compile``, compiled at its first use: most texts need few patterns, and
    wide ranges take milliseconds each.

    Args:
        pattern: as of ``re.compile``.
        flags: as of ``re.compile``.
    """
    return cast("re.Pattern[str]", _LatePattern(pattern, flags))
