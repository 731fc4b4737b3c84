"""Check the object in a value table's file."""

from __future__ import annotations

from typing import Any

from stela_core.tables.counts import TaggerIdentity
from stela_core.tables.values import UNIT, Learned, ValueTable

MAX_LENGTH = 64
MAX_VALUES = 500_000
"""Four times those of the largest table shipped, characters of English."""


def parse_values(content: dict[str, Any], digest: str) -> ValueTable:
    """A table from the object of its file; ``digest`` is the SHA-256 of the file's bytes.

    Raises:
        ValueError, KeyError, TypeError: something in it is wrong.
    """
    key, longest, values = content["key"], content["longest"], content["values"]
    _require(key in ("characters", "tags"), "key is neither characters nor tags")
    _require(type(longest) is int and 1 <= longest <= MAX_LENGTH, "longest is not a small number")
    _require(content["unit"] == UNIT, f"values are not in units of 1/{UNIT}")
    _require(isinstance(content["quantity"], str) and isinstance(content["language"], str), "a name is none")
    _require(isinstance(values, dict) and "" in values, "it has no value for the empty context")
    _require(len(values) <= MAX_VALUES, f"it has more than {MAX_VALUES:,} values")
    _require(set(map(type, values.values())) == {int}, "a value is not a whole number")
    _require(min(values.values()) >= 0, "a value is below 0")
    _require(max(values.values()) <= UNIT, "a value is above 1")
    _require(max(map(_length_by(key), values)) <= longest, "a context is too long")
    mean = content["mean"]
    _require(type(mean) is int and 0 < mean <= UNIT, "its mean is not above 0 and at most 1")
    tagger = None if content["tagger"] is None else TaggerIdentity(**content["tagger"])
    _require((tagger is None) == (key == "characters"), "tags go with a tagger, characters do not")
    learned = dict(content["learned"])
    learned["corpora"] = tuple(learned["corpora"])
    return ValueTable(
        content["quantity"],
        key,
        longest,
        values,
        mean,
        Learned(**learned),
        content["language"],
        tagger,
        digest,
    )


def _length_by(key: str) -> Any:
    return len if key == "characters" else lambda context: len(context.split(" ")) if context else 0


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ValueError(otherwise)
