"""What detection says about a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stela_core.detection.html import detection_html
from stela_core.detection.readings import AS_IT_IS
from stela_core.detection.token_evidence import TokenEvidence
from stela_core.detection.verdict import Verdict, decisive
from stela_core.errors import StelaError

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
"""What ``to_dict`` and the command line's ``--json`` and ``--csv`` give of each detection, in order."""


class NotTrueOrFalseError(StelaError, TypeError):
    """A detection was used as a condition."""

    def __init__(self) -> None:
        super().__init__(
            "a Detection is neither true nor false.", "use detection.watermarked, or detection.verdict"
        )


@dataclass(frozen=True)
class Passage:
    """A part of a text that looks marked, and the window that its p-value belongs to."""

    start: int
    end: int
    """It is ``text[start:end]``, in characters."""
    text: str
    p_value: float
    """P(any window looks marked at least this much) for unmarked text and a random key: corrected."""
    p_uncorrected: float
    """The scorer's p-value of this window alone."""
    z: float
    """Of the window."""
    scored_tokens: int
    """Of the part."""
    green_fraction: float
    """Of the part."""
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

    def to_dict(self) -> dict[str, Any]:
        """The fields, for ``stela detect --json``."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


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
    p_alike: float | None = None
    """The p-value with every token counted alike, where the profile's table is a stranger's: the verdict
    rests on the larger of the two, and windows are scanned so."""
    p_chosen: float | None = None
    """The p-value times the number of keys that there are, where the profile is a stranger's and its mark's
    keys are chosen part by part: the verdict rests on it."""
    choices: float = 1.0
    """That number, 1 where p-values are not corrected for it; windows are, too."""
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
    """Of the key that the text looks to be marked under, where several were tested; see :attr:`by_key`."""
    by_key: tuple[Detection, ...] = field(default=(), compare=False)
    """The detection under each key of a profile that has several, the current key first."""
    others: tuple[Any, ...] = field(default=(), compare=False)
    """Evidence of the other readings, where windows are scanned too."""
    estimate: Callable[[], float | None] | None = field(default=None, compare=False)
    """Works out :attr:`power`, which takes longer than the test itself; left out where it is pickled."""
    beside: Mapping[str, float] = field(default_factory=dict, hash=False)
    """What the mark's own toolkit would say, such as "vLLM p-value": no verdict rests on it."""

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
        by_key = tuple(one.without_evidence() for one in self.by_key)
        return replace(self, evidence=None, others=(), by_key=by_key)

    @cached_property
    def tokens(self) -> list[TokenEvidence]:
        """Text, green, weight and context of each token."""
        listed: list[TokenEvidence] = self.evidence.tokens()
        return listed

    @property
    def p_decisive(self) -> float:
        """The largest of the text's p-values: the verdict rests on it, but where windows were scanned."""
        return decisive(self.p_value, self.p_alike, self.p_chosen)

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
            f"green of {self.scored_tokens} scored tokens, {self.unique_pairs} pairs{self._read()}{passage})"
        )

    def _read(self) -> str:
        read = "" if self.readings == 1 else f", {self.reading}: best of {self.readings} readings"
        return read if self.tests == 1 else f"{read}, one of {self.tests} marks tested"

    def _repr_html_(self) -> str:
        """The coloured text, for notebooks."""
        numbers = (
            f"p-value {self.p_value:.2g} (threshold {self.threshold:g}), z {self.z:.2f}, "
            f"{self.green_fraction:.0%} green of {self.scored_tokens} scored tokens{self._read()}"
        )
        if self.window is not None and not self.passages:
            numbers += (
                f"; characters {self.window.start}-{self.window.end} look marked most, "
                f"p-value {self.window.p_value:.2g}"
            )
        numbers += "".join(
            f"; characters {passage.start}-{passage.end} look marked, p-value {passage.p_value:.2g}"
            for passage in self.passages
        )
        return detection_html(
            self.verdict, numbers, self.tokens, [(p.token_start, p.token_end) for p in self.passages]
        )

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
        if self.beside:
            said["beside"] = dict(self.beside)
        if self.p_alike is not None:
            said["p_alike"] = self.p_alike
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
