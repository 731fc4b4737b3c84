"""The keys of a profile whose key was changed: one marks now, texts are tested for all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from stela_core.composition import Composition
from stela_core.errors import StelaError
from stela_core.hashing.slow_keys import Passphrase
from stela_core.profile import epochs
from stela_core.profile.key import Key, KeyRing, NamedKey, read_keys, resolve_key, warn
from stela_core.profile.schema import HasherPart, KeyPart

FindKey = Callable[[HasherPart | KeyPart, int], int | None]
"""Gives the key, known to be the right one, for what a profile says of it and its number of 64-bit words;
``None`` where the profile itself holds it."""


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A key of a set that is at hand."""

    key_id: str | None
    number: int = field(repr=False)
    """It may be a secret: tracebacks and logs show no more than its id."""
    published: date | None = None
    """The day on which it was, where it was a secret."""
    since: date | None = None
    """First day on which it marked, where that is known."""
    until: date | None = None
    """First day after that."""


class KeySet(NamedTuple):
    """What is known of a profile's keys."""

    known: tuple[OwnKey, ...]
    """Those that are tested: the current one, then the earlier ones that are at hand, youngest first."""
    missing: tuple[str, ...]
    """Ids of keys that are secret and were not given."""
    of_other_days: tuple[str, ...] = ()
    """Ids of keys that are not looked for: of other days than those in which the texts were written."""
    candidates: bool = False
    """Whether they are a user's, in place of the profile's own, and may be very many."""

    @property
    def several(self) -> bool:
        """Whether the profile has several keys, however many are tested."""
        return self.candidates or len(self.known) + len(self.missing) + len(self.of_other_days) > 1

    def only(self, key_id: str | None, written: epochs.Written | None) -> KeySet:
        """The keys of this id and of these days alone.

        Raises:
            StelaError: none of those at hand is.
        """
        fit = [
            (key_id is None or key.key_id == key_id) and (written is None or written.meets(key))
            for key in self.known
        ]
        chosen = tuple(key for key, fits in zip(self.known, fit, strict=True) if fits)
        if not chosen:
            raise StelaError(
                "no key at hand has this id and marked on these days.",
                "stela profile show prints the keys' ids and epochs; days are UTC",
            )
        others = tuple(str(key.key_id) for key, fits in zip(self.known, fit, strict=True) if not fits)
        return self._replace(known=chosen, of_other_days=self.of_other_days + others)


def key_set(
    part: HasherPart,
    key: Key | Sequence[Key] | None,
    words: int,
    find_key: FindKey | None = None,
    written: epochs.Written | None = None,
) -> KeySet:
    """The keys of a profile.

    Args:
        part: what it says of them.
        key: given by the user: one, several, or the ``Path`` of a folder of key files.
        words: 64-bit words of each.
        find_key: finds a key, in place of ``key``.
        written: days in which the texts were written, of which keys of other epochs are left out.

    Raises:
        StelaError: no key is of these days, or the current key is secret and was not given, or another one
            was. In a set with epochs, or with keys that were published, any other key will do.
    """
    if key is None or isinstance(key, int | str | Path | Passphrase):
        single, given = key, [] if key is None else [key]
    else:
        single, given = None, [*key]
    several = single is None and key is not None
    if find_key is None and (several or part.earlier_keys or (isinstance(single, Path) and single.is_dir())):
        single, find_key = None, _ring_of(given)
    tested = [each for each in part.keys if written is None or written.meets(each)]
    if not tested:
        raise StelaError(
            f"no key of the profile marked between {written}.",
            "stela profile show prints the keys' epochs; days are UTC",
        )
    others_do = any(each.since or each.until or each.published for each in part.keys)
    known: list[OwnKey] = []
    missing: list[str] = []
    problem: StelaError | None = None
    secrets = 0
    for each in tested:
        try:
            number = None if find_key is None else find_key(each, words)
            number = resolve_key(each, single, words) if number is None else number
            known.append(OwnKey(each.key_id, number, each.published, each.since, each.until))
            secrets += each.key is None
        except StelaError as error:
            if each is part and not others_do:
                raise
            problem = problem or error
            missing.append(str(each.key_id))
    if problem is not None and (not known or (given and not secrets)):
        raise problem
    of_other_days = tuple(str(each.key_id) for each in part.keys if each not in tested)
    return KeySet(tuple(known), tuple(missing), of_other_days)


def _ring_of(keys: Sequence[Key]) -> FindKey:
    named: list[NamedKey] = []
    for key in keys:
        named += read_keys([key], warn) if isinstance(key, Path) else [NamedKey("", key)]
    ring = KeyRing(named)
    return lambda part, words: ring.number_for(None, part, words)


def has_epochs(hasher: HasherPart, candidates: Sequence[epochs.Dated] | None = None) -> bool:
    """Whether any key of a profile, or of the candidates in their place, has a bound of its epoch."""
    return any(key.since or key.until for key in (hasher.keys if candidates is None else candidates))


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


def composition_now(composition: Composition, hasher: HasherPart, keys: KeySet) -> Composition:
    """A profile's parts under the key that marks today; errors as for :func:`marking_number`."""
    key = marking_number(hasher, keys)
    if key == composition.hasher.key:
        return composition
    return composition.under(key)


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
