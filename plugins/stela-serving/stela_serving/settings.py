"""What the server's environment says: which profiles, and whether clients may go without."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from stela_core import Registry, StelaError, Watermark, load
from stela_core.api import did_you_mean

PROFILE, POLICY, KEY_FILE, RECORD = "STELA_PROFILE", "STELA_POLICY", "STELA_KEY_FILE", "STELA_RECORD"
MARK, AUDIT = "STELA_MARK", "STELA_AUDIT"
FILES = KEY_FILE, RECORD, AUDIT
"""Environment variables of a server."""
REQUIRED, DEFAULT_ON, OPT_IN = "required", "default-on", "opt-in"
POLICIES = (REQUIRED, DEFAULT_ON, OPT_IN)
ALL, ANSWER = "all", "answer"
"""What of an output is marked; another value is the delimiter that the answer follows."""
ON, OFF = "on", "off"
"""What a request may say in place of a profile's name."""


@dataclass(frozen=True)
class ServerSettings:
    """Settings of a server; :meth:`read` makes them."""

    profiles: Mapping[str, Path]
    """Profiles by name, in the order of the names."""
    policy: str = REQUIRED
    """``required``: all texts are marked; ``default-on``: except those that ask for none; ``opt-in``: only
    those that ask."""
    keys: Path | None = None
    """A key file, or a folder that holds, for the profile ``NAME``, ``NAME.txt`` or a folder ``NAME`` of the
    keys of its epochs; else ``STELA_KEY`` counts."""
    record: Path | None = None
    """A file that the weights of each text are added to: ids of texts stand in it."""
    mark: str = ALL
    """``all``: the whole output; ``answer``: without thoughts and calls of tools; or the text, such as
    ``</think>``, that the answer follows."""
    audit: Path | None = None
    """A file that gets a line for each request (:class:`.AuditLog`)."""

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> ServerSettings:
        """The settings in environment variables, by default the process's own.

        Raises:
            StelaError: a variable is missing or says what is not known, or a file is not there.
        """
        given = os.environ if environment is None else environment
        policy = given.get(POLICY) or REQUIRED
        if policy not in POLICIES:
            raise StelaError(
                f'{POLICY} is "{policy}", which is not a policy.', did_you_mean(policy, POLICIES)
            )
        if not given.get(PROFILE):
            raise StelaError(
                f"{PROFILE} is not set: there is no profile to mark text with.",
                f"set {PROFILE} to a file .stela, or to a folder of them; stela profile new makes one",
            )
        keys, record, audit = (Path(given[name]) if given.get(name) else None for name in FILES)
        part = _part(given.get(MARK) or ALL)
        return cls(_profiles(Path(given[PROFILE])), policy, keys, record, part, audit)

    @property
    def marks_unasked(self) -> bool:
        """Whether texts of requests that ask for nothing are marked."""
        return self.policy != OPT_IN

    def load(self, registry: Registry | None = None) -> dict[str, Watermark]:
        """The watermarks by name.

        Raises:
            StelaError: as for :func:`stela.load`; a server begins with all its profiles or not.
        """
        return {name: load(path, self._key_of(name), registry) for name, path in self.profiles.items()}

    def _key_of(self, name: str) -> Path | None:
        if self.keys is None or not self.keys.is_dir():
            return self.keys
        for own in (self.keys / f"{name}.txt", self.keys / name):
            if own.exists():
                return own
        return None


def _part(mark: str) -> str:
    """What is to be marked; a mistyped word would be a delimiter that never comes, and no text be marked."""
    if mark not in (ALL, ANSWER) and mark.isalnum():
        raise StelaError(
            f'{MARK} is "{mark}", which says no part of an output.',
            f"set it to {ALL}, {ANSWER}, or the delimiter that the answer follows, such as </think>",
        )
    return mark


def _profiles(path: Path) -> dict[str, Path]:
    files = sorted(path.glob("*.stela")) if path.is_dir() else [path]
    if not files:
        raise StelaError(f'"{path}" holds no profile.', "put files .stela into it")
    for file in files:
        if not file.is_file():
            raise StelaError(f'{PROFILE} is "{file}", which is not a file.', "check the path")
        if file.stem in (ON, OFF):
            raise StelaError(
                f'"{file}" cannot be asked for: its name means whether to mark.', "rename the profile"
            )
    return {file.stem: file for file in files}
