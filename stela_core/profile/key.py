"""Keys that a user gives: one, checked against what the profile says of it, or several, each to its own."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stela_core.errors import StelaError
from stela_core.hashing.key_file import (
    KEY_VARIABLE,
    Passphrase,
    exposure_of,
    number_of,
    read_key_file,
    slow_key_id,
)
from stela_core.profile.epochs import Named

MOST_KEYS = 256
"""Keys of one ring."""

SLOW_TRIES = 512
"""Slow hashes (0.1 s each) spent on keys whose files are not called as the profile is."""


@dataclass(frozen=True, slots=True)
class NamedKey:
    """What a key file holds."""

    name: str
    """The file's name without its ending: a profile of this name is tried with it first."""
    key: int | str | Passphrase = field(repr=False)


class KeyRing:
    """Keys, and the slow hashes spent on finding out whose they are.

    The id of a secret key costs a slow hash under the salt of each profile, and a passphrase another: trying
    m keys on n profiles takes up to 2 m n of them. A key whose file has the profile's name is tried first,
    and always; others as long as :data:`SLOW_TRIES` last.

    Args:
        keys: to try; one of ``STELA_KEY`` is added.
    """

    def __init__(self, keys: Iterable[NamedKey] = ()) -> None:
        self._keys = list(keys)
        if KEY_VARIABLE in os.environ:
            self._keys.append(NamedKey(KEY_VARIABLE, os.environ[KEY_VARIABLE]))
        self._left = SLOW_TRIES
        self._used: list[NamedKey] = []
        """Last used first: several profiles often have one key."""
        self._known: dict[tuple[int, str | None, int], tuple[int, str] | None] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def number_for(self, name: str | None, part: Named, words: int = 1) -> int | None:
        """The key of a profile as a number; ``None`` where the profile itself holds it.

        Args:
            name: of the profile's file, without its ending; ``None`` where no key goes by it.
            part: what the profile says of its key.
            words: 64-bit words of its key.

        Raises:
            StelaError: its key is secret and none of the keys is known to be it.
        """
        if part.key is not None:
            return None
        if part.key_id is None:
            return self._of_its_name(part, name, words)
        skipped = False
        for key in self._order(name):
            if not (self._affords(key, part.salt, words) or key.name == name):
                skipped = True
                continue
            numbered = self._numbered(key, part.salt, words, free=key.name == name)
            if numbered is not None and numbered[1] == part.key_id:
                self._used = [key, *(other for other in self._used if other is not key)]
                return numbered[0]
        secret = f"the profile's key (id {part.key_id}) is secret"
        if skipped:
            raise StelaError(
                f"{secret}, and was not among the keys tried before {SLOW_TRIES} slow hashes were spent.",
                f"call its key file {name}.txt: it is tried first then" if name else "give fewer keys",
            )
        given = "no key was given" if not self._keys else f"none of {len(self._keys)} keys given is it"
        raise StelaError(f"{secret}, and {given}.", "give its key file, or a folder of them, with --key-file")

    def _of_its_name(self, part: Named, name: str | None, words: int) -> int:
        """A key without id: nothing tells a wrong one, so there must be no choice."""
        named = [key for key in self._keys if key.name == name]
        candidates = named or self._keys
        if len(candidates) == 1:
            return number_of(candidates[0].key, part.salt, words)
        given = f"which of {len(candidates)} keys it is" if candidates else "which it is: none was given"
        raise StelaError(
            f"the profile's key is secret and has no id, so nothing tells {given}.",
            f"give only one key, or call its key file {name}.txt" if name else "give only one key",
        )

    def _order(self, name: str | None) -> list[NamedKey]:
        first = [key for key in self._keys if key.name == name]
        return list({id(key): key for key in (*first, *self._used, *self._keys)}.values())

    def _affords(self, key: NamedKey, salt: str | None, words: int) -> bool:
        return (id(key), salt, words) in self._known or _cost(key, salt) <= self._left

    def _numbered(self, key: NamedKey, salt: str | None, words: int, free: bool) -> tuple[int, str] | None:
        """A key's number and id under a salt; ``None`` where it is not a key there."""
        under_salt = (id(key), salt, words)
        if under_salt not in self._known:
            if not free:
                self._left -= _cost(key, salt)
            try:
                number = number_of(key.key, salt, words)
                self._known[under_salt] = number, slow_key_id(number, salt, words)
            except StelaError:  # of another length, say
                self._known[under_salt] = None
        return self._known[under_salt]


def _cost(key: NamedKey, salt: str | None) -> int:
    """Slow hashes of one try."""
    return 0 if salt is None else 1 + isinstance(key.key, Passphrase)


def warn(message: str) -> None:
    """Say in Python what the command line has notes for."""
    warnings.warn(message, stacklevel=3)


def read_keys(
    paths: Sequence[str | Path], note: Callable[[str], None], folders: bool = True
) -> list[NamedKey]:
    """The keys of key files and of folders of them: regular files, hidden ones and profiles left out.

    Args:
        paths: files, and folders (not those below them).
        folders: whether a path may be one.
        note: is told which files others than their owner may read, and which hold no key.

    Raises:
        StelaError: a file that is named holds no key, a folder cannot be read, or there are too many.
    """
    keys: list[NamedKey] = []
    for path in map(Path, paths):
        files = _files_in(path) if folders and path.is_dir() else [path]
        for file in files:
            if len(keys) == MOST_KEYS:
                raise StelaError(
                    f"more than {MOST_KEYS} keys are given.", "give those of the profiles at hand"
                )
            try:
                key = read_key_file(file)
            except StelaError as error:
                if file == path:
                    raise
                note(f"no key: {error.message}")
                continue
            remark = exposure_of(file)
            if remark is not None:
                note(remark)
            keys.append(NamedKey(file.stem, key))
    return keys


def _files_in(folder: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise StelaError(f'"{folder}" cannot be read: {error.strerror}.', "check the path") from None
    files = [folder / name for name in names if not name.startswith(".") and not name.endswith(".stela")]
    return [file for file in files if stat.S_ISREG(os.lstat(file).st_mode)]
