"""What a profile says of each key, and when it marks: its epoch, whole days in UTC, without the last one.

Epochs never overlap: text of a day that is in one was marked under one key. A bound that is not given is not
known: for testing, the epoch is open on that side. Only days that a user names choose between keys at
detection, never the text, so that a p-value need be corrected only for the keys that are tested.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any, NamedTuple, Protocol, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from stela_core.errors import StelaError
from stela_core.hashing.key_file import KEY_VARIABLE, Key, new_salt, number_of, slow_key_id
from stela_core.hashing.keys import format_key, key_id, new_key

YEARS = range(2000, 3000)

_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def day_of(value: Any) -> date:
    """A day as ISO 8601 spells it, ``2026-11-22``.

    Raises:
        ValueError: it is not a day, or not of this millennium.
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
    """What is known of a key and its epoch."""

    @property
    def key_id(self) -> str | None:
        """Name of the key."""

    @property
    def since(self) -> date | None:
        """First day."""

    @property
    def until(self) -> date | None:
        """First day that is not in it."""

    @property
    def published(self) -> date | None:
        """Day on which a secret key was published."""


class Named(Dated, Protocol):
    """What tells whether a key is this one, too."""

    @property
    def key(self) -> str | None:
        """The key, where it is public."""

    @property
    def salt(self) -> str | None:
        """The salt that went into a secret key's id."""


Each = TypeVar("Each", bound=Dated)


class ProfilePart(BaseModel):
    """Base of the parts of a profile: immutable, unknown fields refused; built when first read or made."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class AnyKeyPart(ProfilePart):
    """What can be asked of any key of a profile; each kind has the fields in an order that files keep."""

    day_of = staticmethod(day_of)

    @staticmethod
    def number_and_salt(given: Key | None, public: bool, words: int = 1) -> tuple[int, str | None]:
        """The number of a new key, drawn where none is given, and the salt of a secret one.

        Raises:
            StelaError: as for :func:`.number_of`.
        """
        salt = None if public else new_salt()
        return new_key(words) if given is None else number_of(given, salt, words), salt

    @staticmethod
    def fields_of(
        key: int, public: bool, salt: str | None = None, named: bool = True, words: int = 1
    ) -> dict[str, Any]:
        """What a new profile says of its key.

        Args:
            key: of 64 bits a word.
            public: the key itself stands in the profile, with its fast name.
            salt: 32 hex digits, of a secret key; by default it is drawn.
            named: a secret key gets a slow name. One that is easily guessed, as those of other toolkits
                are, shall have none: a profile would tell the right guess from the others.
            words: 64-bit words of the key.
        """
        if public:
            return {"key_id": key_id(key, words), "key": format_key(key, words)}
        if not named:
            return {"key_id": None, "key": None}
        salt = salt or new_salt()
        return {"key_id": slow_key_id(key, salt, words), "key": None, "salt": salt}

    def is_key(self: Named, key: int, words: int) -> bool:
        """Whether a key of ``words`` 64-bit words is this one; of a secret one its slow id tells (0.1 s)."""
        if self.key is not None:
            return format_key(key, words) == self.key
        return slow_key_id(key, self.salt, words) == self.key_id

    def resolved(self: Named, key: Key | None, words: int = 1) -> int:
        """The key to use, checked against the profile's ``key_id`` where it has one.

        Raises:
            StelaError: the key is secret and none was given, or it is another one.
        """
        given = key if key is not None else self.key or os.environ.get(KEY_VARIABLE)
        if given is None:
            name = "it has no id: a wrong key is not noticed" if self.key_id is None else f"id {self.key_id}"
            raise StelaError(
                f"the profile's key ({name}) is secret.",
                f"give it with --key-file FILE or in the environment variable {KEY_VARIABLE}",
            )
        number = number_of(given, self.salt, words)
        if self.key_id is None:
            return number
        given_id = slow_key_id(number, self.salt, words)
        if given_id != self.key_id:
            raise StelaError(
                f"wrong key: its id is {given_id}, the profile's is {self.key_id}.",
                "give the key the profile was made with",
            )
        return number

    @property
    def epoch(self: Dated) -> str:
        """The key's days, such as ``since 2026-11-01, until 2026-12-01``; empty where it has no bound."""
        bounds = (("since", self.since), ("until", self.until), ("published", self.published))
        return ", ".join(f"{name} {bound}" for name, bound in bounds if bound is not None)


class KeyPart(AnyKeyPart):
    """A key that marked texts before the current one did; fields as those of the hasher."""

    key_id: str = Field(pattern=r"^[0-9a-f]{8}$")
    key: str | None = Field(default=None, pattern=r"^(?:[0-9a-f]{16}){1,64}$")
    salt: str | None = Field(default=None, pattern=r"^[0-9a-f]{32}$")
    since: Day | None = None
    until: Day | None = None
    published: Day | None = None

    @model_serializer(mode="wrap")
    def _without_salt(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what it does not have, as the hasher does."""
        return {name: value for name, value in write(self).items() if value or name not in MAY_LACK}

    @model_validator(mode="after")
    def _has_what_was_published(self) -> Self:
        require_published_key(self)
        return self


MAY_LACK = ("salt", "since", "until", "published")
"""Fields of a key that are left out where they say nothing: older versions read the file then."""


def require_published_key(part: Named) -> None:
    """Refuse a key that is called published and is not there.

    Raises:
        ValueError: it is.
    """
    if part.published is not None and part.key is None:
        raise ValueError("a key is called published and is not there")


class Written(NamedTuple):
    """Days in which a text was written, as the user says; both are counted in."""

    first: date
    last: date

    @classmethod
    def between(cls, first: str | date, last: str | date) -> Written:
        """The days between two that a user gives.

        Raises:
            StelaError: one is not a day, or they stand in the wrong order.
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


def marking_key(keys: Sequence[Each], day: date) -> Each | None:
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
