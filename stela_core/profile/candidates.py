"""Candidate keys: any number of keys that may have marked a text, in place of a profile's own."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from stela_core.errors import StelaError
from stela_core.files.bounded import parse_json
from stela_core.files.json_lines import numbered
from stela_core.files.json_shape import Limits
from stela_core.files.stream import bounded_lines, opened
from stela_core.files.write import write_secret
from stela_core.hashing.key_file import exposure_of
from stela_core.hashing.keys import format_key, new_key, parse_key
from stela_core.profile import epochs
from stela_core.profile.key import warn
from stela_core.profile.key_set import KeySet, OwnKey

MOST_CANDIDATES = 100_000
"""Keys of one file: a text of 200 tokens takes some 20 microseconds a key."""

LONGEST = 1 << 14
"""Bytes of a line."""

LIMITS = Limits(elements=1_000, depth=8, string=LONGEST)

LIKE = 'each line is an object such as {"key_id": "customer-17", "key": "1f2e3d4c5b6a7988"}'


class Candidate(BaseModel):
    """A key that may have marked a text. What else its line says is not read."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", hide_input_in_errors=True)

    key_id: Annotated[str, Field(min_length=1, max_length=128)]
    """What results call it."""
    key: Annotated[int | str, Field(repr=False)]
    """An integer, or 16 hex digits for each of its 64-bit words."""
    since: epochs.Day | None = None
    """First day (UTC) on which it marked; ``None`` where that is not known."""
    until: epochs.Day | None = None
    """First day after that."""

    @property
    def published(self) -> date | None:
        """Candidates are secret."""
        return None

    @model_validator(mode="after")
    def _has_a_day(self) -> Self:
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError(f"from {self.since} until {self.until} there is no day")
        return self


def read_candidates(path: str | Path, note: Callable[[str], None] = warn) -> list[Candidate]:
    """The candidate keys of a file of JSON lines; ``-`` is standard input.

    Args:
        path: of the file.
        note: is told where others than its owner may read it; by default a warning.

    Raises:
        StelaError: it cannot be read, or holds none or too many, or a line is none (file and line are named,
            never a key).
    """
    name = str(path)
    remark = None if name == "-" else exposure_of(name)
    if remark is not None:
        note(remark)
    with opened(name) as stream:
        candidates = list(_candidates_of(stream, name))
    if not candidates:
        raise StelaError(f"{name} holds no key.", LIKE)
    return candidates


def candidate_set(
    candidates: Sequence[Candidate], words: int, written: epochs.Written | None = None
) -> KeySet:
    """The keys as a set in which a text is tested for each.

    Args:
        candidates: at least one.
        words: 64-bit words of a key.
        written: days in which texts were written: keys of other epochs are left out.

    Raises:
        StelaError: one is no key of so many words, two are one key or have one id, or none is of these days.
    """
    if len(candidates) > MOST_CANDIDATES:
        raise _too_many("candidates")
    tested: list[OwnKey] = []
    others: list[str] = []
    known: dict[tuple[str, str | int], int] = {}
    for number, each in enumerate(candidates, 1):
        try:
            key = parse_key(each.key, words)
        except StelaError as error:
            raise StelaError(
                f"candidate {number}: {error.message}", f"write {16 * words} hex digits"
            ) from None
        for what, value in (("key_id", each.key_id), ("key", key)):
            before = known.setdefault((what, value), number)
            if before != number:
                raise StelaError(
                    f"candidates {before} and {number} have the same {what}.",
                    "leave one of them out: p-values are times the number of keys",
                )
        if written is None or epochs.meets(each, written):
            tested.append(OwnKey(each.key_id, key, None, each.since, each.until))
        else:
            others.append(each.key_id)
    if not tested:
        raise StelaError(
            f"no candidate key marked between {written}." if candidates else "there is no candidate key.",
            'say "since" and "until" of each as days in UTC' if candidates else LIKE,
        )
    return KeySet(tuple(tested), (), tuple(others), candidates=True)


def write_new_candidates(path: str | Path, count: int) -> None:
    """Draw keys of 64 bits into a new file of mode 600, called ``key-00001`` and so on.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    lines = (
        json.dumps({"key_id": f"key-{number:05}", "key": format_key(new_key())})
        for number in range(1, count + 1)
    )
    lost = "give another -o: keys that are replaced are lost, and with them every mark made with them"
    write_secret(path, ("\n".join(lines) + "\n").encode(), "key file", lost)


def _candidates_of(stream: io.RawIOBase, name: str) -> Iterator[Candidate]:
    many = 0
    for number, line in numbered(bounded_lines(io.BufferedReader(stream), name)):
        where = f"{name}:{number}"
        if not line.strip():
            continue
        if len(line) > LONGEST:
            raise StelaError(f"{where} is a line of more than {LONGEST >> 10} KiB.", "shorten it")
        many += 1
        if many > MOST_CANDIDATES:
            raise _too_many(name)
        record = parse_json(line, where, LIKE, limits=LIMITS)
        if not isinstance(record, dict):
            raise StelaError(f"{where} is no object.", LIKE)
        try:
            yield Candidate.model_validate(record)
        except ValidationError as error:
            # What was given is not repeated: it may be a key.
            wrong = error.errors(include_input=False)[0]
            place = f"{wrong['loc'][0]}: " if wrong["loc"] else ""
            raise StelaError(f"{where}: {place}{wrong['msg']}.", LIKE) from None


def _too_many(name: str) -> StelaError:
    return StelaError(
        f"{name}: more than {MOST_CANDIDATES:,} keys.",
        "give those that may have marked these texts: p-values are times their number",
    )
