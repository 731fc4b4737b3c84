"""The key that marks now, of a profile whose keys have epochs."""

from __future__ import annotations

import warnings
from dataclasses import replace

from stela_core.composition import Composition
from stela_core.errors import StelaError
from stela_core.profile import epochs
from stela_core.profile.key_set import KeySet
from stela_core.profile.schema import HasherPart


def has_epochs(hasher: HasherPart) -> bool:
    """Whether any key of a profile has a bound of its epoch."""
    return any(key.since or key.until for key in hasher.keys)


def marking_number(hasher: HasherPart, keys: KeySet) -> int:
    """The key that marks today (UTC).

    Args:
        hasher: what the profile says of its keys.
        keys: those at hand.

    Raises:
        StelaError: the profile has no key for today, or it is secret and was not given.
    """
    day = epochs.today()
    part = epochs.marking_key(hasher.keys, day)
    if part is None:
        spans = [f"{key.key_id} ({epochs.spelled(key) or 'replaced'})" for key in hasher.keys[:2]]
        raise StelaError(
            f"no key of the profile marks on {day} (UTC): its youngest are {' and '.join(spans)}.",
            "stela profile rotate gives it a new key",
        )
    for key in keys.known:
        if key.key_id == part.key_id:
            return key.number
    raise StelaError(
        f"the key that marks on {day} (UTC) is secret and was not given: its id is {part.key_id}.",
        "give it with --key-file FILE; a folder may hold the keys of several epochs",
    )


def composition_now(own: Composition, hasher: HasherPart, keys: KeySet) -> Composition:
    """A profile's parts under the key that marks today; errors as for :func:`marking_number`."""
    key = marking_number(hasher, keys)
    return own if key == own.hasher.key else replace(own, hasher=own.hasher.under(key))


def key_of_the_day(hasher: HasherPart, keys: KeySet) -> KeyOfTheDay | None:
    """What gives each day's key; ``None`` where there is one for all. As for :func:`marking_number`."""
    return KeyOfTheDay(hasher, keys) if has_epochs(hasher) else None


class KeyOfTheDay:
    """The key that marks now, for what runs on from day to day.

    Args:
        hasher: what the profile says of its keys.
        keys: those at hand.

    Raises:
        StelaError: as for :func:`marking_number`.
    """

    def __init__(self, hasher: HasherPart, keys: KeySet) -> None:
        self._hasher, self._keys = hasher, keys
        self._day, self._number = epochs.today(), marking_number(hasher, keys)

    def __call__(self) -> int:
        """The key; where a day has none, that of the day before, with a warning: a server marks on."""
        day = epochs.today()
        if day != self._day:
            self._day = day
            try:
                self._number = marking_number(self._hasher, self._keys)
            except StelaError as error:
                warnings.warn(f"the key of before marks on: {error.message}", stacklevel=2)
        return self._number
