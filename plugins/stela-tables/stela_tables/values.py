"""ValueTable: what may be expected of the next token, looked up by the text or the tags before it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from stela_core.api import Calibration, Context
from stela_tables.counts import TaggerIdentity

FORMAT = "stela-values/1"

Key = Literal["characters", "tags"]
"""Kind of key that a table is looked up by: the last characters of the text, or the last tags."""

UNIT = 1000
"""Values are kept as whole thousandths: equal on every machine, and small in the file."""

REMEMBERED = 65_536


class Learned(NamedTuple):
    """How a table was made."""

    model: str
    """Name of the language model, or of the tokenizer where only tokens were counted."""
    corpora: tuple[str, ...]
    documents: int
    tokens: int
    settings: str
    """Temperature, strength, smoothing, pruning: in words."""


class ValueTable:
    """Values of contexts of any length up to ``longest``; a context has that of its longest suffix kept.

    The smoothing of rare contexts towards their suffix is done when the table is made, and contexts
    that say no more than their suffix are left out.

    Args:
        quantity: what the values are, such as ``expected-gain``.
        key: what the contexts are made of.
        longest: how many characters or tags a context has at most.
        values: from contexts to whole thousandths; strings of characters, or tags joined by spaces. The
            empty context is among them.
        mean: expected value on the text it was learned from, in thousandths.
        learned: how it was made.
        language: code of the language, or an empty string.
        tagger: who gave the tags.
        sha256: of the bytes of its file, where it was read from one.
    """

    def __init__(
        self,
        quantity: str,
        key: Key,
        longest: int,
        values: Mapping[str, int],
        mean: int,
        learned: Learned,
        language: str = "",
        tagger: TaggerIdentity | None = None,
        sha256: str | None = None,
    ) -> None:
        self.quantity = quantity
        self.key: Key = key
        self.longest = longest
        self.values = values
        self.learned = learned
        self.language = language
        self.tagger = tagger
        self.mean_in_units = mean
        self._sha256 = sha256
        self._remembered: dict[Context, float] = {}

    @property
    def k(self) -> int | None:
        """Length of the n-grams as of other tables: one more than the tags of a context; else ``None``."""
        return self.longest + 1 if self.key == "tags" else None

    def of_text(self, text: str) -> float:
        """The value after a text: that of its longest suffix in the table."""
        values = self.values
        for length in range(min(self.longest, len(text)), 0, -1):
            value = values.get(text[-length:])
            if value is not None:
                return value / UNIT
        return values[""] / UNIT

    def of_tags(self, context: Context) -> float:
        """The value after some tags: that of their longest suffix in the table."""
        value = self._remembered.get(context)
        if value is None:
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            value = self._remembered[context] = self._back_off(context)
        return value

    def _back_off(self, context: Context) -> float:
        for start in range(max(0, len(context) - self.longest), len(context)):
            value = self.values.get(" ".join(context[start:]))
            if value is not None:
                return value / UNIT
        return self.values[""] / UNIT

    def mean(self, calibration: Calibration) -> float:
        """Expected value on text like that it was learned from; with ``types``, mean over its contexts."""
        if calibration == "tokens":
            return self.mean_in_units / UNIT
        return math.fsum(self.values.values()) / len(self.values) / UNIT

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes of the table's file."""
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(value_table_bytes(self)).hexdigest()
        return self._sha256


def value_table_bytes(table: ValueTable) -> bytes:
    """The bytes of a table's file: one JSON object, equal for equal values, no floating-point numbers.

    UTF-8, no spaces, a line feed at the end.
    """
    content = {
        "format": FORMAT,
        "quantity": table.quantity,
        "key": table.key,
        "longest": table.longest,
        "unit": UNIT,
        "language": table.language,
        "tagger": None if table.tagger is None else table.tagger._asdict(),
        "learned": table.learned._asdict(),
        "mean": table.mean_in_units,
        "values": dict(sorted(table.values.items())),
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


MAX_LENGTH = 64
MAX_VALUES = 500_000
"""Four times those of the largest table shipped, characters of English."""


def parse_values(content: dict[str, Any], digest: str) -> ValueTable:
    """A table from the object of its file; ``digest`` is the SHA-256 of the file's bytes.

    Raises:
        ValueError, KeyError, TypeError: something in it is wrong.
    """
    key, longest, values = content["key"], content["longest"], content["values"]
    require(key in ("characters", "tags"), "key is neither characters nor tags")
    require(type(longest) is int and 1 <= longest <= MAX_LENGTH, "longest is not a small number")
    require(content["unit"] == UNIT, f"values are not in units of 1/{UNIT}")
    require(
        isinstance(content["quantity"], str) and isinstance(content["language"], str),
        "a name is not a string",
    )
    require(isinstance(values, dict) and "" in values, "it has no value for the empty context")
    require(len(values) <= MAX_VALUES, f"it has more than {MAX_VALUES:,} values")
    require(set(map(type, values.values())) == {int}, "a value is not a whole number")
    require(min(values.values()) >= 0, "a value is below 0")
    require(max(values.values()) <= UNIT, "a value is above 1")
    require(max(map(length_by(key), values)) <= longest, "a context is too long")
    mean = content["mean"]
    require(type(mean) is int and 0 < mean <= UNIT, "its mean is not above 0 and at most 1")
    tagger = None if content["tagger"] is None else TaggerIdentity(**content["tagger"])
    require((tagger is None) == (key == "characters"), "tags go with a tagger, characters do not")
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


def length_by(key: str) -> Any:
    """The length of a context in units of its key."""
    return len if key == "characters" else lambda context: len(context.split(" ")) if context else 0


def require(condition: bool, otherwise: str) -> None:
    """What a file has to hold.

    Raises:
        ValueError: it does not.
    """
    if not condition:
        raise ValueError(otherwise)
