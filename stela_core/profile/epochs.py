"""When each key of a profile marks: its epoch, whole days in UTC, the first one in it and the last one not.

Epochs never overlap: text of a day that is in one was marked under one key. A bound that is not given is not
known: for testing, the epoch is open on that side. Only days that a user names choose between keys at
detection, never the text, so that a p-value need be corrected for the keys that are tested alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from pydantic import BeforeValidator

from stela_core.errors import StelaError

YEARS = range(2000, 3000)

_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day_of(value: Any) -> date:
    """A day as ISO 8601 spells it, ``2026-11-22``.

    Raises:
        ValueError: it is none, or not of this millennium.
    """
    if isinstance(value, date) and not isinstance(value, datetime):
        day = value
    elif isinstance(value, str) and _FORM.fullmatch(value):
        day = date.fromisoformat(value)
    else:
        raise ValueError("a day is written as in 2026-11-22")
    if day.year not in YEARS:
        raise ValueError(f"the year {day.year} is not between {YEARS[0]} and {YEARS[-1]}")
    return day


Day = Annotated[date, BeforeValidator(day_of)]
"""A field of a profile."""


class Dated(Protocol):
    """What is known of a key's epoch."""

    @property
    def since(self) -> date | None:
        """First day."""

    @property
    def until(self) -> date | None:
        """First day that is not in it."""

    @property
    def published(self) -> date | None:
        """Day on which a secret key was published."""


Key = TypeVar("Key", bound=Dated)


class Written(NamedTuple):
    """Days in which a text was written, as the user says; both are counted in."""

    first: date
    last: date

    @classmethod
    def between(cls, first: str | date, last: str | date) -> Written:
        """From what a user gives.

        Raises:
            StelaError: one is no day, or they stand in the wrong order.
        """
        try:
            span = cls(day_of(first), day_of(last))
        except ValueError as error:
            raise StelaError(
                f'"{first}" and "{last}" are not two days: {error}.', "write 2026-11-22"
            ) from None
        if span.first > span.last:
            raise StelaError(f"{first} is after {last}.", "give the earlier day first")
        return span

    def meets(self, key: Dated) -> bool:
        """Whether a key's epoch has any of these days."""
        return (key.since is None or key.since <= self.last) and (key.until is None or self.first < key.until)

    def __str__(self) -> str:
        return f"{self.first} and {self.last}"


def today() -> date:
    """The day it is, in UTC."""
    return datetime.now(UTC).date()


def holds(key: Dated, day: date) -> bool:
    """Whether a day is in a key's epoch; one that says nothing holds always."""
    return (key.since is None or key.since <= day) and (key.until is None or day < key.until)


def marking_key(keys: Sequence[Key], day: date) -> Key | None:
    """The key that marks on a day; ``None`` where there is none.

    Args:
        keys: the current one, then those before it, youngest first. One of those marked until it was changed:
            where nothing says when that was, it does not mark. Nor does one that was published.
        day: in UTC.
    """
    for number, key in enumerate(keys):
        if (number == 0 or key.until is not None) and key.published is None and holds(key, day):
            return key
    return None


def require_order(keys: Iterable[Dated]) -> None:
    """Refuse epochs that overlap, are empty, or stand in another order than the keys.

    Args:
        keys: youngest first.

    Raises:
        ValueError: with what is wrong.
    """
    latest: date | None = None
    for key in reversed(tuple(keys)):
        if key.since is not None and key.until is not None and key.since >= key.until:
            raise ValueError(f"the epoch since {key.since} until {key.until} has no day")
        for bound in (key.since, key.until):
            if bound is not None and latest is not None and bound < latest:
                raise ValueError(f"epochs overlap: one has the bound {bound}, an earlier one {latest}")
            latest = bound or latest


def spelled(key: Dated) -> str:
    """The epoch in words, such as ``since 2026-11-01, until 2026-12-01``; nothing where it has no bound."""
    bounds = (("since", key.since), ("until", key.until), ("published", key.published))
    return ", ".join(f"{name} {bound}" for name, bound in bounds if bound is not None)


def note_of(key_id: str | None, published: date) -> str:
    """What a verdict under a published key says."""
    return (
        f"key {key_id} was published on {published}: from then on anyone could write text that carries its "
        "mark, so of a text first seen later the mark does not say whose it is"
    )
