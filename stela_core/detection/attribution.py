"""What the tests of one text under several marks say: whose mark it has, if any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stela_core.detection.result import JSON_NAMES, Detection, NotTrueOrFalseError
from stela_core.detection.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Tested:
    """One of the marks that a text was tested for; p-values are corrected for the number of all."""

    name: str
    """The profile's: of its file, or what the caller calls it."""
    key_id: str | None
    """Id of the key; ``None`` where it has no id."""
    verdict: Verdict
    p_value: float
    """p-value of the whole text."""
    p_unweighted: float | None
    """p-value with weight 1 for every token, where someone else made the profile's table."""
    p_window: float | None
    """p-value of the window that looks marked most, where windows were scanned."""
    z: float
    green_fraction: float
    unique_pairs: int
    caveat: str | None
    p_chosen: float | None = None
    """p-value times the number of keys that someone else could have chosen among, part by part."""
    p: float = 1.0
    """The one that its verdict rests on: see :attr:`.Detection.deciding_p`."""

    @classmethod
    def of(cls, name: str, key_id: str | None, detection: Detection) -> Tested:
        """What is kept of a detection: a few numbers, without its evidence."""
        return cls(
            name=name,
            key_id=key_id,
            verdict=detection.verdict,
            p_value=detection.p_value,
            p_unweighted=detection.p_unweighted,
            p_window=None if detection.window is None else detection.window.p_value,
            z=detection.z,
            green_fraction=detection.green_fraction,
            unique_pairs=detection.unique_pairs,
            caveat=detection.caveat,
            p_chosen=detection.p_chosen,
            p=detection.deciding_p,
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields that say something, for ``stela detect --json``."""
        names = JSON_NAMES | {"name": "profile"}
        said = {names.get(name, name): getattr(self, name) for name in self.__slots__ if name != "p"}
        return {name: value for name, value in said.items() if value is not None or name == "key_id"}


@dataclass(frozen=True, repr=False)
class Attribution:
    """Outcome for one text under several marks. That one's mark was found never says who wrote the text."""

    name: str
    """Name of the profile whose mark the text most likely has."""
    key_id: str | None
    """Id of that profile's key; ``None`` where it has no id."""
    detection: Detection
    """Detection under that profile; its p-values are corrected for the number of marks tested."""
    tested: tuple[Tested, ...]
    """All that were tested, what looks marked most first."""

    @property
    def verdict(self) -> Verdict:
        """Verdict on the most likely mark."""
        return self.detection.verdict

    @property
    def p_value(self) -> float:
        """The p-value of :attr:`detection`."""
        return self.detection.p_value

    @property
    def tests(self) -> int:
        """How many marks the text was tested for; of candidate keys :attr:`tested` has the likeliest."""
        return max(self.detection.tests, len(self.tested))

    @property
    def watermarked(self) -> bool:
        """Whether any mark was found."""
        return self.detection.watermarked

    @property
    def marks(self) -> tuple[Tested, ...]:
        """All whose mark was found.

        On unmarked text there is any with probability alpha at most, their mean where they differ.
        """
        return tuple(mark for mark in self.tested if mark.verdict == "watermarked")

    def __bool__(self) -> bool:
        raise NotTrueOrFalseError

    def __repr__(self) -> str:
        return (
            f"Attribution({self.verdict}, {self.name}, p={self.tested[0].p:.2g}, "
            f"best of {self.tests} marks tested)"
        )

    def to_dict(self, tokens: bool = False) -> dict[str, Any]:
        """The fields that ``stela detect --profiles --json`` prints."""
        return {
            "profile": self.name,
            "key_id": self.key_id,
            **self.detection.to_dict(tokens),
            "tests": self.tests,
            "marks": [mark.to_dict() for mark in self.tested],
        }
