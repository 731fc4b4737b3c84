"""What detection says about a text: in Python and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

from stela_core.catalogue import lent
from stela_core.detection.evidence import TokenEvidence
from stela_core.detection.readings import AS_IT_IS
from stela_core.detection.verdict import PValues, Verdict
from stela_core.errors import StelaError
from stela_core.interfaces.encoder import Message

FIELDS = (
    "verdict",
    "p_value",
    "z",
    "z_plain",
    "scored_tokens",
    "unique_pairs",
    "green_fraction",
    "threshold",
    "caveat",
)
"""What ``to_dict`` gives of each detection, in order."""

JSON_NAMES = {"p_unweighted": "p_alike", "foreign_scores": "beside"}
"""What attributes are called there, where that is another name."""


@dataclass(frozen=True)
class Passage:
    """A part of a text that looks marked, and the window that its p-value belongs to."""

    start: int
    end: int
    """End of the passage, which is ``text[start:end]``, in characters."""
    text: str
    p_value: float
    """P(any window looks marked at least this much) for unmarked text and a random key: corrected."""
    p_uncorrected: float
    """The scorer's p-value of this window by itself."""
    z: float
    """Statistic of the window."""
    scored_tokens: int
    """Number of scored tokens in the part."""
    green_fraction: float
    """Share of the part's scored tokens that are green."""
    windows: int
    """How many were tried."""
    window_start: int
    window_end: int
    """The window, in characters: the part lies in it. Of a part that several windows next to each other make
    up, it is all of them, and the p-value is that of the best."""
    token_start: int
    token_end: int
    """The part is ``detection.tokens[token_start:token_end]``."""
    reading: str = AS_IT_IS
    """How the text was read where the window looks marked most; see :attr:`Detection.reading`."""
    message: Message | None = None
    """Message of the window, where marks carry one; bounds hold for all windows at once."""

    def to_dict(self) -> dict[str, Any]:
        """The fields, for ``stela detect --json``."""
        said = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "message"}
        return said if self.message is None else {**said, "message": self.message.to_dict()}


class NotTrueOrFalseError(StelaError, TypeError):
    """A detection was used as a condition."""

    def __init__(self) -> None:
        super().__init__(
            "a Detection is neither true nor false.", "use detection.watermarked, or detection.verdict"
        )


@dataclass(frozen=True, repr=False)
class Detection:
    """Outcome for one text. A verdict never says that a person wrote it.

    Two are equal where all that they say is: the evidence, of arrays, is not compared.
    """

    verdict: Verdict
    p_value: float
    """P(evidence at least this strong) for unmarked text and a random key; exact, never 0. Where several
    readings were tested it is the smallest, each over its share of alpha."""
    z: float
    """Statistic with repeated (context, token) pairs grouped."""
    z_plain: float
    """The papers' statistic, where each token is its own coin: for comparison only."""
    scored_tokens: int
    """Tokens with a hash context."""
    unique_pairs: int
    """Distinct (hash context, token) pairs among them: the independent coins."""
    green_fraction: float
    """Share of scored tokens that are green; 0 if none is scored."""
    threshold: float
    """``p_value`` at or below it gives the verdict "watermarked" (the profile's alpha)."""
    evidence: Any = field(compare=False)
    window: Passage | None = None
    """What looks marked most, where windows were scanned; the verdict then rests on its p-value."""
    passages: tuple[Passage, ...] = ()
    """The parts that look marked at the threshold, where windows were scanned; they do not overlap."""
    p_unweighted: float | None = None
    """The p-value with every token counted alike, where someone else made the profile's table: the verdict
    rests on the larger of the two, and windows are scanned so."""
    p_chosen: float | None = None
    """The p-value times the number of keys or of rows of ids, where someone else made the profile and its
    mark's keys are chosen part by part, or its tokenizer is not known: the verdict rests on it."""
    choices: float = 1.0
    """Number of these choices, 1 where p-values are not corrected for it, infinite above e^600; windows are
    corrected, too."""
    caveat: str | None = None
    """What the verdict takes for granted where somebody else made the profile (docs/statistics.md)."""
    reading: str = AS_IT_IS
    """How the text was read where it looks marked most: "as it is", "canonical", "in sentence case"
    (docs/canonical-text.md)."""
    readings: int = 1
    """How many readings were tested; p-values are corrected for them."""
    tests: int = 1
    """How many marks the text was tested for, of profiles or keys; p-values are corrected for them."""
    key_id: str | None = None
    """Id of the key that most likely marked the text, where several were tested; see :attr:`by_key`."""
    by_key: tuple[Detection, ...] = field(default=(), compare=False)
    """The detection under each key of a profile that has several, the current key first."""
    others: tuple[Any, ...] = field(default=(), compare=False)
    """Evidence of the other readings, where windows are scanned too."""
    estimate: Callable[[], float | None] | None = field(default=None, compare=False)
    """Works out :attr:`power`, which takes longer than the test itself; left out where it is pickled."""
    foreign_scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What the mark's own toolkit would say, such as "vLLM p-value": no verdict rests on it."""
    message: Message | None = None
    """What the text looks to say, of marks that carry a message; it counts where the verdict is
    "watermarked"."""

    @cached_property
    def power(self) -> float | None:
        """About how often a text like this one is found, marked at the profile's strength, in [0, 1].

        An estimate from weights and repeats (docs/detecting.md); ``None`` where the strength cannot be told.
        """
        return None if self.estimate is None else self.estimate()

    def __getstate__(self) -> dict[str, Any]:
        # What estimates the power holds the watermark, and so its key.
        return {**self.__dict__, "power": self.power, "estimate": None}

    def without_evidence(self) -> Detection:
        """The same without what lists its tokens and finds its passages: little to send."""
        by_key = tuple(each.without_evidence() for each in self.by_key)
        return replace(self, evidence=None, others=(), by_key=by_key)

    @cached_property
    def tokens(self) -> list[TokenEvidence]:
        """Text, green, weight and context of each token."""
        listed: list[TokenEvidence] = self.evidence.tokens()
        return listed

    @property
    def deciding_p(self) -> float:
        """The p-value that the verdict rests on: the best window's where windows were scanned, else the
        largest of the text's.
        """
        if self.window is not None:
            return self.window.p_value
        return PValues(self.p_value, self.p_unweighted, self.p_chosen).deciding

    @property
    def watermarked(self) -> bool:
        """Whether a mark was found; ``False`` says neither that there is none nor who wrote the text."""
        return self.verdict == "watermarked"

    def __bool__(self) -> bool:
        # Any object is true: `if wm.detect(text)` would call every text marked.
        raise NotTrueOrFalseError

    def __repr__(self) -> str:
        passage = "" if self.window is None else f", passage p={self.window.p_value:.2g}"
        if len(self.passages) > 1:
            passage += f" and {len(self.passages) - 1} more"
        return (
            f"Detection({self.verdict}, p={self.p_value:.2g}, z={self.z:.2f}, {self.green_fraction:.0%} "
            f"green of {self.scored_tokens} scored tokens, {self.unique_pairs} pairs{self.best_of}{passage})"
        )

    @property
    def best_of(self) -> str:
        """What p-values are corrected for: ``, canonical: best of 2 readings``, or nothing."""
        read = "" if self.readings == 1 else f", {self.reading}: best of {self.readings} readings"
        return read if self.tests == 1 else f"{read}, one of {self.tests} marks tested"

    def _repr_html_(self) -> str:
        """The coloured text, for notebooks; the line above where nobody lends how it is shown."""
        html: Callable[[Detection], str] | None = lent("detection_html")
        return f"<pre>{escape(repr(self))}</pre>" if html is None else html(self)

    def to_dict(self, tokens: bool = False) -> dict[str, Any]:
        """The fields that ``stela detect --json`` prints."""
        said: dict[str, Any] = {name: getattr(self, name) for name in FIELDS}
        said.update(reading=self.reading, readings=self.readings)
        if self.tests > 1:
            said["tests"] = self.tests
        if self.key_id is not None:
            said["key_id"] = self.key_id
        if self.power is not None:
            said["power"] = self.power
        if self.message is not None and self.watermarked:
            said["message"] = self.message.to_dict()
        if self.foreign_scores:
            said[JSON_NAMES["foreign_scores"]] = dict(self.foreign_scores)
        if self.p_unweighted is not None:
            said[JSON_NAMES["p_unweighted"]] = self.p_unweighted
        if self.p_chosen is not None:
            said["p_chosen"] = self.p_chosen
        if self.window is not None:
            said["window"] = self.window.to_dict()
            said["passages"] = [passage.to_dict() for passage in self.passages]
        if tokens:
            said["tokens"] = [
                {
                    "text": token.text,
                    "green": token.green,
                    "weight": token.weight,
                    "context": None if token.context is None else list(token.context),
                }
                for token in self.tokens
            ]
        return said


def best_reading(detections: Sequence[Detection]) -> Detection:
    """The detection with the smallest p-value of those of a text's readings; the first of equal ones.

    A text is long enough where any of its readings could have reached alpha, whatever the reported one could.

    Args:
        detections: at least one, each corrected by the reading's share of alpha; the smallest is then valid.
    """
    if len(detections) == 1:
        return detections[0]
    best = min(detections, key=lambda each: each.deciding_p)
    long_enough = (each for each in (best, *detections) if each.verdict != "insufficient text")
    telling = next(long_enough, best)
    return replace(
        best,
        verdict=telling.verdict,
        estimate=telling.estimate,
        readings=len(detections),
        others=tuple(each.evidence for each in detections if each is not best),
    )
