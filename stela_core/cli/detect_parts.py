"""The parts in which ``stela detect`` hands texts to whoever tests them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from stela_core.cli.detect_examine import TextGroup
from stela_core.interfaces import Text

SHARED = 128
"""Texts of a part at most, where several workers share them."""

AT_THE_END = 32
"""The same in the last batch: so many texts one worker may still be at when the others are done."""


def parts_of(
    batches: Iterable[list[Text]], prompts: list[str] | None, most: int, shared: bool
) -> Iterator[TextGroup]:
    """Batches as parts of so many texts at most, each text with its prompt where there are such."""
    done = 0
    for batch, last in _told_last(batches) if shared else ((batch, False) for batch in batches):
        size = min(most, AT_THE_END if last else SHARED) if shared else most
        for start in range(0, len(batch), size):
            part = batch[start : start + size]
            before = None if prompts is None else prompts[done : done + len(part)]
            yield TextGroup([one.source for one in part], [one.text for one in part], before)
            done += len(part)


def _told_last(batches: Iterable[list[Text]]) -> Iterator[tuple[list[Text], bool]]:
    """Each batch, and whether it is the last one."""
    kept: list[Text] | None = None
    for batch in batches:
        if kept is not None:
            yield kept, False
        kept = batch
    if kept is not None:
        yield kept, True
