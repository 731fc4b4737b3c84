"""Writing marked text: candidates for a sentence are drawn until one is valid, or enough were tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from stela_core import StelaError
from stela_sentence.mark import SentenceMark
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
    """Whether the kept one is valid; True of the first sentence, which may be in any region."""

    def to_dict(self) -> dict[str, Any]:
        """The fields that ``stela sentence generate --json`` prints."""
        return asdict(self)


def write(
    mark: SentenceMark, prompt: str, draw: Draw, count: int = 10, tries: int = 64, batch: int = 8
) -> Written:
    """Write marked sentences after a prompt (SemStamp, Hou et al., NAACL 2024, Algorithm 1).

    Of the candidates in their order, the first is kept that is valid, is the margin away from other regions,
    and makes a new pair with its context. A pair that came before is not new evidence, and a region that is
    valid after itself would hold a text for ever. Where all valid pairs of the context came before, they are
    as good as new ones. After ``tries`` the best is kept: to be valid counts most, then to be new.
    The papers ask for no new pair, and keep the last candidate.

    A candidate counts only where the text so far is split as before, with one more sentence at its end:
    detection then sees the same sentences.

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
        kept, number = _next(_Place(mark, text), draw, tries, batch)
        if kept is None:
            break
        text = kept.text
        looked.append(number)
        valid.append(kept.valid)
    return Written(prompt, text, looked, valid)


class _Candidate(NamedTuple):
    """A candidate, with what counts first: the larger is the better one, but for the text."""

    valid: bool
    new: bool
    """Whether it is valid, and its pair with the context did not come before or all did."""
    far: bool
    """Whether it is at least the margin away from other regions."""
    text: str
    """All of the text up to its end."""


class _Place:
    """The end of a text, where a sentence is looked for."""

    def __init__(self, mark: SentenceMark, text: str) -> None:
        self.text = text
        self._mark = mark
        every = np.arange(mark.file.regions)
        self._valid = self._new = np.ones(len(every), dtype=np.bool_)
        vectors = mark.vectors(sentences(text))
        self._last = vectors[-1:]
        if len(vectors):
            regions = mark.regions(vectors)
            context = regions.contexts[-1]
            self._valid = mark.green(np.full(len(every), context), every)
            came = regions.numbers[1:][regions.contexts[:-1] == context]
            left = self._valid & ~np.isin(every, came)
            self._new = left if left.any() else self._valid

    def look_at(self, more: str) -> _Candidate | None:
        """What ``more`` adds; ``None`` where that is not a sentence."""
        longer = extended(self.text, more)
        if longer is None:
            return None
        added = self._mark.vectors(sentences(longer)[-1:])
        regions = self._mark.regions(np.concatenate([self._last, added]))
        region, margin = regions.numbers[-1], regions.margins[-1]
        far = bool(margin >= self._mark.file.margin)
        return _Candidate(bool(self._valid[region]), bool(self._new[region]), far, longer)


def _next(place: _Place, draw: Draw, tries: int, batch: int) -> tuple[_Candidate | None, int]:
    """The text with the sentence that is kept, and how many candidates were looked at."""
    best: _Candidate | None = None
    for first in range(0, tries, batch):
        drawn = draw(place.text, first, min(batch, tries - first))
        for number, more in enumerate(drawn, first + 1):
            if not more.strip():
                if best is None:
                    return None, number
                continue
            candidate = place.look_at(more)
            if candidate is None:
                continue
            if candidate.new and candidate.far:
                return candidate, number
            if best is None or candidate[:3] > best[:3]:
                best = candidate
    return best, tries
