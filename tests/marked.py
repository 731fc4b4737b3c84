"""Texts with a mark that the embedded model once wrote: tests that only need a marked text read them.

``python -m scripts.write_golden`` writes the files of tests/golden, one a scheme.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from stela_testing import run_cli

from stela_core.hashing import keys

FOLDER = Path(__file__).with_name("golden")
ANSWERS = "answers.json"
KEY = 0x5EED
"""The public key of all of these profiles."""


class Golden(NamedTuple):
    """A file of tests/golden: a line of arguments, and then one for each text."""

    new: list[str]
    """Arguments of ``stela profile new``, without the key and the file to write."""
    texts: list[dict[str, Any]]
    """Of each text: ``record``, as ``stela generate --json`` printed it without the weights, and
    ``detection``: what ``stela detect --json`` said."""

    @property
    def record(self) -> dict[str, Any]:
        """Of the first text."""
        record: dict[str, Any] = self.texts[0]["record"]
        return record

    def text(self, message: str | None = None) -> str:
        """The first text that carries this message (None: any)."""
        records = (one["record"] for one in self.texts)
        return next(str(one["text"]) for one in records if message in (None, one.get("message")))

    def write_profile(self, path: Path) -> Path:
        """Make the profile that the texts were marked under, which takes no model."""
        with patch.object(keys, "randbits", lambda bits: KEY):
            made = run_cli("profile", "new", *self.new, "--public-key", "-o", path)
        assert made.status == 0, made.err
        return path


@cache
def golden(name: str) -> Golden:
    """A file of tests/golden by its name."""
    new, *texts = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return Golden(json.loads(new)["new"], [json.loads(text) for text in texts])


def golden_answers() -> list[list[str]]:
    """Of the embedded model without a mark: 400 answers of three tokens to each of several beginnings."""
    answers: list[list[str]] = json.loads((FOLDER / ANSWERS).read_text(encoding="utf-8"))
    return answers
