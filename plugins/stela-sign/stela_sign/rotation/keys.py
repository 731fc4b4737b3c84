"""Changing the keys of a profile: a new one that marks from now on or from some day, an old one published."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from stela_core import Hasher, Registry, StelaError
from stela_core.api import Key, KeyPart, Profile, number_of


def today() -> date:
    """The day it is, in UTC."""
    return datetime.now(UTC).date()


def key_words(profile: Profile, registry: Registry) -> int:
    """64-bit words of a profile's key.

    Raises:
        StelaError: its hasher is not installed, or its parameters are wrong.
    """
    hasher = registry.get(Hasher, profile.hasher.name)
    return hasher.key_words(profile.hasher.parameters_of(hasher))


def rotated(
    profile: Profile,
    key: int,
    words: int,
    salt: str | None = None,
    since: date | None = None,
    until: date | None = None,
) -> Profile:
    """The profile with a new current key; the others are kept, youngest first.

    What was found of the old key on human text is not the new one's, and is left out.

    Args:
        profile: of the old key.
        key: the new one.
        words: its 64-bit words.
        salt: of a secret key that was made from a passphrase under it.
        since: the day from which the new key marks, and the old one no more, where that ends no earlier.
        until: the day from which the new key marks no more.

    Raises:
        StelaError: its keys have no ids, it has as many as may be, the key is one of them, or epochs overlap.
    """
    hasher = profile.hasher
    if hasher.key_id is None:
        raise StelaError(
            "the profile's key has no id: several keys could not be distinguished.",
            "make a new profile for the new key; stela detect --profiles tests for both",
        )
    if len(hasher.earlier_keys) + 2 > profile.MOST_KEYS:
        raise StelaError(
            f"the profile has {profile.MOST_KEYS} keys, the most there may be: p-values are times "
            "their number.",
            "leave the oldest ones out, with --keep",
        )
    fields = KeyPart.fields_of(key, hasher.is_public, salt, words=words)
    require_new_key(profile, key, words)
    end = hasher.until if since is None or (hasher.until and hasher.until <= since) else since
    old = KeyPart(
        key_id=hasher.key_id,
        key=hasher.key,
        salt=hasher.salt,
        since=hasher.since,
        until=end,
        published=hasher.published,
    )
    epoch = {"since": since, "until": until, "published": None}
    update = {"salt": None, **fields, "earlier_keys": (old, *hasher.earlier_keys), **epoch}
    return _with_keys(profile, update)


def require_new_key(profile: Profile, key: Key, words: int) -> None:
    """Refuse a key that the profile has already: nobody would know which of two epochs a text is of.

    A secret one is told by its id under each key's own salt (0.1 s each), and a passphrase makes a key under
    each: whoever knows it knows the new key, too.

    Args:
        profile: the keys of which are compared.
        key: the new one.
        words: its 64-bit words.

    Raises:
        StelaError: it is one of them.
    """
    for part in profile.hasher.keys:
        if part.is_key(number_of(key, part.salt, words), words):
            which = "marks now" if part is profile.hasher else "marked before"
            raise StelaError(
                f"the new key is one of the profile's keys already: {part.key_id}, which {which}.",
                "draw another: stela key new -o FILE",
            )


def _with_keys(profile: Profile, update: dict[str, Any]) -> Profile:
    try:
        hasher = type(profile.hasher).model_validate({**profile.hasher.model_dump(), **update})
    except ValidationError as error:
        wrong = error.errors()[0]["ctx"]["error"]
        raise StelaError(f"{wrong}.", "an epoch ends where the next one begins, or before") from None
    without_checks = {"null_check": None, "further_null_checks": ()}
    return profile.model_copy(update={"hasher": hasher, **without_checks})


def with_newest(profile: Profile, keys: int) -> Profile:
    """The profile with only the newest of its keys, at least one."""
    hasher = profile.hasher.model_copy(update={"earlier_keys": profile.hasher.earlier_keys[: keys - 1]})
    return profile.model_copy(update={"hasher": hasher})


def with_published(
    profile: Profile, key_id: str, key: int, words: int, day: date, early: bool = False
) -> Profile:
    """The profile with one of its secret keys in it, for anyone to test with; its other keys remain secret.

    Args:
        profile: of the key.
        key_id: of the key.
        key: the key, known to be the one of this id.
        words: its 64-bit words.
        day: on which it is published, in UTC.
        early: publish it though its epoch has not ended, or has no end: it marks no more.

    Raises:
        StelaError: there is no such key, it is public, or its epoch has not ended.
    """
    hasher = profile.hasher
    part = next((each for each in hasher.keys if each.key_id == key_id), None)
    if part is None:
        raise StelaError(f"the profile has no key {key_id}.", "stela profile show prints the ids of its keys")
    if part.key is not None:
        raise StelaError(f"the key {key_id} is public already.", "anyone can test texts for it")
    if not early and (part.until is None or day < part.until):
        when = "has no end" if part.until is None else f"ends with {part.until - timedelta(days=1)} (UTC)"
        raise StelaError(
            f"the epoch of key {key_id} {when}: published now, it would let anyone mark text of today.",
            "stela profile rotate --from DATE ends it; with --early it is published now, and marks no more",
        )
    update = {"key": f"{key:0{16 * words}x}", "published": day}
    if part is hasher:
        return profile.model_copy(update={"hasher": hasher.model_copy(update=update)})
    earlier = tuple(each.model_copy(update=update) if each is part else each for each in hasher.earlier_keys)
    return profile.model_copy(update={"hasher": hasher.model_copy(update={"earlier_keys": earlier})})
