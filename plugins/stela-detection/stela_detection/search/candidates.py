"""Candidate keys: any number of keys that may have marked a text, in place of a profile's own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from stela_core import StelaError
from stela_core.api import KeyPart, Written, number_of

Day = Annotated[date, BeforeValidator(KeyPart.day_of)]

MOST_CANDIDATES = 100_000
"""Keys of one file: a text of 200 tokens takes some 20 microseconds a key."""

LIKE = 'each line is an object such as {"key_id": "customer-17", "key": "1f2e3d4c5b6a7988"}'


class Candidate(BaseModel):
    """A key that may have marked a text. What else its line says is not read."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", hide_input_in_errors=True)

    key_id: Annotated[str, Field(min_length=1, max_length=128)]
    """What results call it."""
    key: Annotated[int | str, Field(repr=False)]
    """An integer, or 16 hex digits for each of its 64-bit words."""
    since: Day | None = None
    """First day (UTC) on which it marked; ``None`` where that is not known."""
    until: Day | None = None
    """First day after that."""

    @property
    def published(self) -> date | None:
        """Candidates are secret."""
        return None

    @model_validator(mode="after")
    def _has_a_day(self) -> Self:
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError(f"from {self.since} until {self.until} there is no day")
        return self


def candidate_set(
    candidates: Sequence[Candidate], words: int, written: Written | None = None
) -> list[tuple[Candidate, int]]:
    """The keys that a text is tested for, each with its number.

    Args:
        candidates: at least one.
        words: 64-bit words of a key.
        written: days in which texts were written: keys of other epochs are left out.

    Raises:
        StelaError: one has another number of words, two are one key or have one id, or none is of these days.
    """
    require_few(len(candidates), "candidates")
    tested: list[tuple[Candidate, int]] = []
    known: dict[tuple[str, str | int], int] = {}
    for number, each in enumerate(candidates, 1):
        try:
            key = number_of(each.key, None, words)
        except StelaError as error:
            raise StelaError(
                f"candidate {number}: {error.message}", f"write {16 * words} hex digits"
            ) from None
        for what, value in (("key_id", each.key_id), ("key", key)):
            before = known.setdefault((what, value), number)
            if before != number:
                raise StelaError(
                    f"candidates {before} and {number} have the same {what}.",
                    "leave one of them out: p-values are times the number of keys",
                )
        if written is None or written.meets(each):
            tested.append((each, key))
    if not tested:
        raise StelaError(
            f"no candidate key marked between {written}." if candidates else "there is no candidate key.",
            'say "since" and "until" of each as days in UTC' if candidates else LIKE,
        )
    return tested


def require_few(count: int, name: str) -> None:
    """Refuse more keys than are tested.

    Args:
        count: of them.
        name: of what holds them.

    Raises:
        StelaError: there are more than :data:`MOST_CANDIDATES`.
    """
    if count > MOST_CANDIDATES:
        raise StelaError(
            f"{name}: more than {MOST_CANDIDATES:,} keys.",
            "give those that may have marked these texts: p-values are times their number",
        )
