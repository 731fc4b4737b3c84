"""The keys of a profile whose key was changed: the current one marks, texts are tested for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stela_core.errors import StelaError
from stela_core.hashing.slow_keys import Passphrase
from stela_core.profile.key import Key, key_fields, resolve_key
from stela_core.profile.key_ring import KeyRing, NamedKey, read_keys, warn
from stela_core.profile.schema import MOST_KEYS, HasherPart, KeyPart, Profile

FindKey = Callable[[HasherPart | KeyPart, int], int | None]
"""Gives the key, known to be the right one, for what a profile says of it and its number of 64-bit words;
``None`` where the profile itself holds it."""


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A key of a set that is at hand."""

    key_id: str | None
    number: int = field(repr=False)
    """It may be a secret: tracebacks and logs show no more than its id."""


class KeySet(NamedTuple):
    """What is known of a profile's keys."""

    known: tuple[OwnKey, ...]
    """The current one, then the earlier ones that are at hand, youngest first."""
    missing: tuple[str, ...]
    """Ids of earlier keys that are secret and were not given."""


def key_set(
    part: HasherPart, key: Key | Sequence[Key] | None, words: int, find_key: FindKey | None = None
) -> KeySet:
    """The keys of a profile.

    Args:
        part: what it says of them.
        key: given by the user: one, several, or the ``Path`` of a folder of key files.
        words: 64-bit words of each.
        find_key: finds a key, in place of ``key``.

    Raises:
        StelaError: the current key is secret and was not given, or another one was.
    """
    if key is None or isinstance(key, int | str | Path | Passphrase):
        one, given = key, [] if key is None else [key]
    else:
        one, given = None, [*key]
    several = one is None and key is not None
    if find_key is None and (several or part.earlier_keys or (isinstance(one, Path) and one.is_dir())):
        one, find_key = None, _ring_of(given)
    current = None if find_key is None else find_key(part, words)
    if current is None:
        current = resolve_key(part, one, words)
    known, missing = [OwnKey(part.key_id, current)], []
    for earlier in part.earlier_keys:
        try:
            number = None if find_key is None else find_key(earlier, words)
            known.append(
                OwnKey(earlier.key_id, resolve_key(earlier, None, words) if number is None else number)
            )
        except StelaError:
            missing.append(earlier.key_id)
    return KeySet(tuple(known), tuple(missing))


def _ring_of(keys: Sequence[Key]) -> FindKey:
    named: list[NamedKey] = []
    for key in keys:
        named += read_keys([key], warn) if isinstance(key, Path) else [NamedKey("", key)]
    ring = KeyRing(named)
    return lambda part, words: ring.number_for(None, part, words)


def rotated(profile: Profile, key: int, words: int, salt: str | None = None) -> Profile:
    """The profile with a new current key; the others are kept, youngest first.

    What was found of the old key on human text is not the new one's, and is left out.

    Args:
        profile: of the old key.
        key: the new one.
        words: its 64-bit words.
        salt: of a secret key that was made from a passphrase under it.

    Raises:
        StelaError: its keys have no ids, it has as many as may be, or the key is one of them.
    """
    hasher = profile.hasher
    if hasher.key_id is None:
        raise StelaError(
            "the profile's key has no id: which of several keys is which could not be told.",
            "make a new profile for the new key; stela detect --profiles tests for both",
        )
    if len(hasher.earlier_keys) + 2 > MOST_KEYS:
        raise StelaError(
            f"the profile has {MOST_KEYS} keys, the most there may be: p-values are times their number.",
            "leave the oldest ones out, with --keep",
        )
    fields = key_fields(key, hasher.key is not None, salt, True, words)
    old = KeyPart(key_id=hasher.key_id, key=hasher.key, salt=hasher.salt)
    if hasher.key is not None and fields["key"] in (hasher.key, *(one.key for one in hasher.earlier_keys)):
        raise StelaError("the new key is one of the profile's keys already.", "draw another")
    update = {"salt": None, **fields, "earlier_keys": (old, *hasher.earlier_keys)}
    without_checks = {"null_check": None, "further_null_checks": ()}
    return profile.model_copy(update={"hasher": hasher.model_copy(update=update), **without_checks})


def with_newest(profile: Profile, keys: int) -> Profile:
    """The profile with so many of its keys, the newest, at least one."""
    hasher = profile.hasher.model_copy(update={"earlier_keys": profile.hasher.earlier_keys[: keys - 1]})
    return profile.model_copy(update={"hasher": hasher})
