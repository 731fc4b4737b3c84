"""The keys of a profile whose key was changed: one marks now, texts are tested for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stela_core.errors import StelaError
from stela_core.hashing.key_file import Key, Passphrase
from stela_core.profile import epochs
from stela_core.profile.key import KeyRing, NamedKey, read_keys, warn
from stela_core.profile.schema import HasherPart


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A key of a set that is at hand."""

    part: epochs.Dated
    """What the profile, or a list of candidates, says of it."""
    number: int = field(repr=False)
    """The key, which may be a secret: tracebacks and logs show no more than its id."""

    @property
    def key_id(self) -> str | None:
        """Name of the key."""
        return self.part.key_id

    @property
    def note(self) -> str | None:
        """What a verdict under it says, where it was a secret that was published."""
        published = self.part.published
        if published is None:
            return None
        return (
            f"key {self.key_id} was published on {published}: from then on anyone could write text that "
            "carries its mark, so of a text first seen later the mark does not say whose it is"
        )


class KeySet(NamedTuple):
    """What is known of a profile's keys."""

    known: tuple[OwnKey, ...]
    """Keys that are tested: the current one, then the earlier ones that are at hand, youngest first."""
    missing: tuple[str, ...]
    """Ids of keys that are secret and were not given."""
    named: bool = False
    """Whether a detection says which key it is about: there are several, however many are tested, or the one
    was published."""
    candidates: bool = False
    """Whether they are a user's, in place of the profile's own, and may be very many."""

    def only(self, key_id: str | None, written: epochs.Written | None) -> KeySet:
        """The keys of only this id and these days.

        Raises:
            StelaError: none of those at hand is.
        """
        chosen = tuple(
            key
            for key in self.known
            if (key_id is None or key.key_id == key_id) and (written is None or written.meets(key.part))
        )
        if not chosen:
            raise StelaError(
                "no key at hand has this id and marked on these days.",
                "stela profile show prints the keys' ids and epochs; days are UTC",
            )
        return self._replace(known=chosen)


def key_set(
    part: HasherPart,
    key: Key | Sequence[Key] | KeyRing | None,
    words: int,
    written: epochs.Written | None = None,
    name: str | None = None,
) -> KeySet:
    """The keys of a profile.

    Args:
        part: what it says of them.
        key: given by the user: one, several, or the ``Path`` of a folder of key files; or a ring that other
            profiles have, too.
        words: 64-bit words of each.
        written: days in which the texts were written, of which keys of other epochs are left out.
        name: of the profile: as for :meth:`.KeyRing.number_for`.

    Raises:
        StelaError: no key is of these days, or the current key is secret and was not given, or another one
            was. In a set with epochs, or with keys that were published, any other key will do.
    """
    single: Key | None = None
    given: Sequence[Key] = ()
    ring: KeyRing | None = None
    if isinstance(key, KeyRing):
        ring = key
    elif key is None or isinstance(key, int | str | Path | Passphrase):
        single, given = key, [] if key is None else [key]
    else:
        given = [*key]
        ring = _ring_of(given)
    if ring is None and (part.earlier_keys or (isinstance(single, Path) and single.is_dir())):
        single, ring = None, _ring_of(given)
    tested = [each for each in part.keys if written is None or written.meets(each)]
    if not tested:
        raise StelaError(
            f"no key of the profile marked between {written}.",
            "stela profile show prints the keys' epochs; days are UTC",
        )
    others_do = part.has_epochs or any(each.published for each in part.keys)
    known: list[OwnKey] = []
    missing: list[str] = []
    problem: StelaError | None = None
    secrets = 0
    for each in tested:
        try:
            number = None if ring is None else ring.number_for(name, each, words)
            number = each.resolved(single, words) if number is None else number
            known.append(OwnKey(each, number))
            secrets += each.key is None
        except StelaError as error:
            if each is part and not others_do:
                raise
            problem = problem or error
            missing.append(str(each.key_id))
    if problem is not None and (not known or (given and not secrets)):
        raise problem
    named = len(part.keys) > 1 or part.published is not None
    return KeySet(tuple(known), tuple(missing), named)


def _ring_of(keys: Sequence[Key]) -> KeyRing:
    named: list[NamedKey] = []
    for key in keys:
        named += read_keys([key], warn) if isinstance(key, Path) else [NamedKey("", key)]
    return KeyRing(named)


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
        spans = [f"{key.key_id} ({key.epoch or 'replaced'})" for key in hasher.keys[:2]]
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
