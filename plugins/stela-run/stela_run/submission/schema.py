"""What a submitted run says, and reading it: the file is someone else's."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from stela_core import Parameters, StelaError
from stela_core.api import parse_json, read_bounded

LARGEST = 8 << 20
HINT = "make it by stela run ... --submit FILE"


class Number(Parameters):
    """A measured number and its 95 % interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = Field(None, ge=0)

    @model_validator(mode="after")
    def _within(self) -> Number:
        known = [each for each in (self.low, self.value, self.high) if each is not None]
        if known != sorted(known):
            raise ValueError(f"{self.value} lies outside of its interval [{self.low}, {self.high}]")
        return self


class Record(Parameters):
    """What was measured of one mark at one length, after one attack."""

    model: str = Field(min_length=1)
    language: str = Field(min_length=1)
    scheme: str = Field(min_length=1)
    label: str = Field(min_length=1)
    seed: int
    attack: str = Field(min_length=1)
    attack_parameters: dict[str, Any] = Field(default_factory=dict)
    delta: float | None = None
    """What a pilot set."""
    texts: int = Field(ge=1)
    temperature: float = Field(ge=0)
    length: int = Field(ge=1)
    profile_sha256: str
    values: dict[str, Number]


class Submission(Parameters):
    """A run: its plan, what it was made with, what it measured."""

    format: Literal["stela submission 1"] = "stela submission 1"
    digest: str = Field(min_length=1)
    """Digest of the plan with its prompts and human texts."""
    experiment: dict[str, Any]
    """Experiment as the runner writes it; no path of the machine is in it."""
    commit: str | None
    """Commit of the checkout; ``None`` where it was made with released versions."""
    versions: dict[str, str]
    """Versions by distribution."""
    records: list[Record] = Field(min_length=1)

    @property
    def title(self) -> str:
        """Title of the experiment."""
        return str(self.experiment.get("title", ""))


def to_bytes(submission: Submission) -> bytes:
    """The file: JSON that ends with the SHA-256 of what stands before it."""
    content = submission.model_dump(mode="json")
    text = json.dumps({**content, "sha256": digest_of(content)}, indent=1, ensure_ascii=False)
    return text.encode() + b"\n"


def digest_of(content: dict[str, Any]) -> str:
    """SHA-256 of the content, however it is laid out."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()


def read_submission(path: Path) -> Submission:
    """Read a file of :func:`to_bytes`.

    Raises:
        StelaError: it is missing, too large, none, or was changed.
    """
    what = f'"{path}"'
    content = parse_json(read_bounded(path, LARGEST, what, HINT), what, HINT)
    if not isinstance(content, dict) or not isinstance(content.get("sha256"), str):
        raise StelaError(f"{what} is not a submitted run.", HINT)
    said = content.pop("sha256")
    try:
        submission = Submission.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error" and said != digest_of(content):
            raise StelaError(f"{what} was changed after it was made.", HINT) from None
        where = ".".join(map(str, first["loc"]))
        raise StelaError(f"{what} is not a submitted run: {where}: {first['msg']}.", HINT) from None
    if said != digest_of(submission.model_dump(mode="json")):
        raise StelaError(f"{what} was changed after it was made.", HINT)
    return submission
