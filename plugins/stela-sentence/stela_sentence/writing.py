"""Writing marked text: candidates for a sentence are drawn until one is valid, or enough were tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from stela_core import StelaError
from stela_sentence.mark import SentenceMark
from stela_sentence.partitions import NONE
from stela_sentence.split import extended, sentences

Draw: TypeAlias = Callable[[str, int, int], list[str]]
"""``draw(text, first, n)``: n independent continuations of prompt and text, numbers ``first`` and on; each
should go on for a word after its first sentence. An empty one says that the text ends here."""


@dataclass(frozen=True, slots=True)
class Written:
    """One marked text, prompt left out."""

    prompt: str
    text: str
    tries: list[int]
    """Candidates looked at for each sentence, up to the kept one."""
    valid: list[bool]
    """Whether the kept one is valid; True for the first sentences, which may be in any region."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that ``stela sentence generate --json`` prints."""
        return asdict(self)


class _Candidate(NamedTuple):
    text: str
    """All of the text up to its end."""
    valid: bool
    far: bool
    """Whether it is at least the margin away from other regions."""


def write(
    mark: SentenceMark, prompt: str, draw: Draw, count: int = 10, tries: int = 64, batch: int = 8
) -> Written:
    """Write marked sentences after a prompt (SemStamp, Hou et al., NAACL 2024, Algorithm 1).

    Of the candidates in their order, the first is kept that is valid and the margin away from other regions.
    After ``tries``, it is the first valid one, then the first that is the margin away, then the first. The
    papers keep the last. A candidate counts only where the text so far is split as before, with one more
    sentence at its end: detection then sees the same sentences.

    Args:
        mark: of sentences.
        prompt: what goes before; the mark does not read it.
        draw: gives candidates.
        count: of sentences, at least 1; fewer where the text ends, or no candidate ends a sentence.
        tries: candidates a sentence, at most.
        batch: candidates drawn at once; those after the kept one are dropped.

    Raises:
        StelaError: count, tries or batch is below 1.
    """
    if min(count, tries, batch) < 1:
        raise StelaError("sentences, tries and batch are at least 1.", "give larger numbers")
    text, looked, valid = "", list[int](), list[bool]()
    while len(looked) < count:
        kept, number = _next(mark, text, draw, tries, batch)
        if kept is None:
            break
        text = kept.text
        looked.append(number)
        valid.append(kept.valid)
    return Written(prompt, text, looked, valid)


def _next(mark: SentenceMark, text: str, draw: Draw, tries: int, batch: int) -> tuple[_Candidate | None, int]:
    """The text with the sentence that is kept, and how many candidates were looked at."""
    before = mark.vectors(sentences(text)[-2:])
    best: _Candidate | None = None
    for first in range(0, tries, batch):
        drawn = draw(text, first, min(batch, tries - first))
        for number, more in enumerate(drawn, first + 1):
            if not more.strip():
                if best is None:
                    return None, number
                continue
            candidate = _looked_at(mark, text, before, more)
            if candidate is None:
                continue
            if candidate.valid and candidate.far:
                return candidate, number
            if best is None or candidate[1:] > best[1:]:
                best = candidate
    return best, tries


def _looked_at(mark: SentenceMark, text: str, before: Any, more: str) -> _Candidate | None:
    longer = extended(text, more)
    if longer is None:
        return None
    vectors = np.concatenate([before, mark.vectors(sentences(longer)[-1:])])
    numbers, margins = mark.regions(vectors)
    # Where the mark's regions look back, the first of three sentences has none here, and is not asked for.
    if len(numbers) < 2 or NONE in (numbers[-2], numbers[-1]):
        valid = True
    else:
        valid = bool(mark.green(numbers[-2:-1], numbers[-1:])[0])
    return _Candidate(longer, valid, numbers[-1] == NONE or bool(margins[-1] >= mark.file.margin))
