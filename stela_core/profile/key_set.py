"""The keys of a profile whose key was changed: the current one marks, texts are tested for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import NamedTuple

from stela_core.errors import StelaError
from stela_core.hashing.slow_keys import Passphrase
from stela_core.profile.epochs import Written, meets
from stela_core.profile.key import Key, resolve_key
from stela_core.profile.key_ring import KeyRing, NamedKey, read_keys, warn
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


class KeySet(NamedTuple):
    """What is known of a profile's keys."""

    known: tuple[OwnKey, ...]
    """Those that are tested: the current one, then the earlier ones that are at hand, youngest first."""
    missing: tuple[str, ...]
    """Ids of keys that are secret and were not given."""
    of_other_days: tuple[str, ...] = ()
    """Ids of keys whose epochs have none of the days in which the texts were written."""

    @property
    def several(self) -> bool:
        """Whether the profile has several keys, however many are tested."""
        return len(self.known) + len(self.missing) + len(self.of_other_days) > 1


def key_set(
    part: HasherPart,
    key: Key | Sequence[Key] | None,
    words: int,
    find_key: FindKey | None = None,
    written: Written | None = None,
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
        one, given = key, [] if key is None else [key]
    else:
        one, given = None, [*key]
    several = one is None and key is not None
    if find_key is None and (several or part.earlier_keys or (isinstance(one, Path) and one.is_dir())):
        one, find_key = None, _ring_of(given)
    asked = [each for each in part.keys if written is None or meets(each, written)]
    if not asked:
        raise StelaError(
            f"no key of the profile marked between {written}.",
            "stela profile show prints the keys' epochs; days are UTC",
        )
    others_do = any(each.since or each.until or each.published for each in part.keys)
    known: list[OwnKey] = []
    missing: list[str] = []
    problem: StelaError | None = None
    secrets = 0
    for each in asked:
        try:
            number = None if find_key is None else find_key(each, words)
            number = resolve_key(each, one, words) if number is None else number
            known.append(OwnKey(each.key_id, number, each.published))
            secrets += each.key is None
        except StelaError as error:
            if each is part and not others_do:
                raise
            problem = problem or error
            missing.append(str(each.key_id))
    if problem is not None and (not known or (given and not secrets)):
        raise problem
    left = tuple(str(each.key_id) for each in part.keys if each not in asked)
    return KeySet(tuple(known), tuple(missing), left)


def _ring_of(keys: Sequence[Key]) -> FindKey:
    named: list[NamedKey] = []
    for key in keys:
        named += read_keys([key], warn) if isinstance(key, Path) else [NamedKey("", key)]
    ring = KeyRing(named)
    return lambda part, words: ring.number_for(None, part, words)
