"""The last line of ``stela detect`` over a folder: how many texts there were, of each verdict."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from stela_core.cli.common import say
from stela_core.detection.attribution import Attribution
from stela_core.detection.result import Detection
from stela_core.detection.verdict import Verdict

MARKS = 5
"""Profiles of which it is said how many texts bear their mark."""


class Total:
    """Texts tested so far, by their verdicts."""

    def __init__(self) -> None:
        self._verdicts: Counter[str] = Counter()
        self._marks: Counter[str] = Counter()

    def add(self, result: Detection | Attribution) -> None:
        """One text was tested."""
        self._verdicts[result.verdict] += 1
        if isinstance(result, Attribution):
            self._marks.update(one.name for one in result.marks)

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
