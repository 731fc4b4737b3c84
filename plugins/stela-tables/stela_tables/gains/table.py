"""GainTable: what a mark gains and costs after each class of contexts, at strengths and temperatures."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stela_models.green_effects import EFFECTS

from stela_core import StelaError
from stela_core.api import Context
from stela_tables.counts import TaggerIdentity
from stela_tables.gains.optimum import Curves
from stela_tables.values import MAX_LENGTH, MAX_VALUES, Key, Learned, length_by, require

FORMAT = "stela-gains/1"

MILLION = 1_000_000
"""Gains and costs are kept as whole millionths, so that all machines choose the same strengths."""

THOUSAND = 1000
"""Strengths and temperatures are kept as whole thousandths."""

MAX_CLASSES, MAX_STRENGTHS, MAX_TEMPERATURES = 4096, 256, 8
MAX_CELLS = 1_000_000
REMEMBERED = 65_536

Whole = npt.NDArray[np.int64]


class GainTable:
    """Classes of contexts, and what a bias of each strength gains and costs after those of a class.

    A context is in the class of its longest suffix that the table holds.

    Args:
        key: what the contexts are made of.
        longest: how many characters or tags a context has at most.
        classes: from contexts to numbers of classes; strings of characters, or tags joined by spaces. The
            empty context is among them.
        counts: tokens of each class that were read, (classes,).
        temperatures: in thousandths, ascending.
        strengths: in thousandths of a nat, ascending from 0.
        effects: in millionths, (temperatures, 3, classes, strengths): rise of the chance of green, surprisal
            and divergence in nats, as :func:`stela_models.green_effects.effects` gives them.
        learned: how it was made.
        language: code of the language, or an empty string.
        tagger: who gave the tags.
        sha256: of the bytes of its file, where it was read from one.
    """

    def __init__(
        self,
        key: Key,
        longest: int,
        classes: Mapping[str, int],
        counts: Sequence[int],
        temperatures: Sequence[int],
        strengths: Sequence[int],
        effects: Whole,
        learned: Learned,
        language: str = "",
        tagger: TaggerIdentity | None = None,
        sha256: str | None = None,
    ) -> None:
        self.key: Key = key
        self.longest = longest
        self.classes = classes
        self.counts = counts
        self.temperatures = temperatures
        self.strengths = strengths
        self.effects = effects
        self.learned = learned
        self.language = language
        self.tagger = tagger
        self._sha256 = sha256
        self._remembered: dict[Context, int] = {}

    @property
    def k(self) -> int | None:
        """Length of the n-grams as of other tables: one more than the tags of a context; else ``None``."""
        return self.longest + 1 if self.key == "tags" else None

    def of_text(self, text: str) -> int:
        """The class after a text: that of its longest suffix in the table."""
        classes = self.classes
        for length in range(min(self.longest, len(text)), 0, -1):
            number = classes.get(text[-length:])
            if number is not None:
                return number
        return classes[""]

    def of_tags(self, context: Context) -> int:
        """The class after some tags: that of their longest suffix in the table."""
        number = self._remembered.get(context)
        if number is None:
            ends = (
                " ".join(context[start:])
                for start in range(max(0, len(context) - self.longest), len(context))
            )
            number = next((self.classes[end] for end in ends if end in self.classes), self.classes[""])
            if len(self._remembered) >= REMEMBERED:
                self._remembered.clear()
            self._remembered[context] = number
        return number

    def curves(self, temperature: float, cost: str) -> Curves:
        """What strengths gain and cost at a temperature.

        Args:
            temperature: one of those that the table holds.
            cost: ``surprisal`` or ``divergence``.

        Raises:
            StelaError: the table does not hold the temperature.
        """
        wanted = round(temperature * THOUSAND)
        if wanted not in self.temperatures:
            held = " and ".join(f"{one / THOUSAND:g}" for one in self.temperatures)
            raise StelaError(
                f"the table of gains holds temperature {held}, not {temperature:g}.",
                f"--param temperature={self.temperatures[0] / THOUSAND:g}, or measure it with "
                "stela lambda gains --temperature",
            )
        of_all = self.effects[self.temperatures.index(wanted)] / MILLION
        counts = np.array(self.counts, dtype=np.float64)
        strengths = np.array(self.strengths) / THOUSAND
        return Curves(strengths, of_all[0], of_all[EFFECTS.index(cost)], counts / counts.sum())

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes of the table's file."""
        if self._sha256 is None:
            self._sha256 = hashlib.sha256(gain_table_bytes(self)).hexdigest()
        return self._sha256


def gain_table_bytes(table: GainTable) -> bytes:
    """The bytes of a table's file: one JSON object, equal for equal numbers, no floating-point numbers.

    UTF-8, no spaces, a line feed at the end.
    """
    content = {
        "format": FORMAT,
        "key": table.key,
        "longest": table.longest,
        "language": table.language,
        "tagger": None if table.tagger is None else table.tagger._asdict(),
        "learned": table.learned._asdict(),
        "temperatures": list(table.temperatures),
        "strengths": list(table.strengths),
        "counts": list(table.counts),
        **{name: table.effects[:, number].tolist() for number, name in enumerate(EFFECTS)},
        "classes": dict(sorted(table.classes.items())),
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def parse_gains(content: dict[str, Any], digest: str) -> GainTable:
    """A table from the object of its file; ``digest`` is the SHA-256 of the file's bytes.

    Raises:
        ValueError, KeyError, TypeError: something in it is wrong.
    """
    key, longest, classes = content["key"], content["longest"], content["classes"]
    require(key in ("characters", "tags"), "key is neither characters nor tags")
    require(type(longest) is int and 1 <= longest <= MAX_LENGTH, "longest is not a small number")
    require(isinstance(content["language"], str), "language is not a name")
    require(isinstance(classes, dict) and "" in classes, "it has no class for the empty context")
    require(len(classes) <= MAX_VALUES, f"it has more than {MAX_VALUES:,} contexts")
    require(max(map(length_by(key), classes)) <= longest, "a context is too long")
    counts = _numbers(content["counts"], MAX_CLASSES, "counts")
    _require_numbers(list(classes.values()), 0, len(counts) - 1, "a class")
    require(sum(counts) > 0, "it counts no tokens")
    temperatures = _numbers(content["temperatures"], MAX_TEMPERATURES, "temperatures")
    strengths = _numbers(content["strengths"], MAX_STRENGTHS, "strengths")
    require(temperatures == sorted(set(temperatures)) and temperatures[0] > 0, "temperatures do not rise")
    require(strengths == sorted(set(strengths)) and strengths[0] == 0, "strengths do not rise from 0")
    require(strengths[-1] <= 20 * THOUSAND, "a strength is above 20 nats")
    shape = len(temperatures), len(counts), len(strengths)
    require(math.prod(shape) * len(EFFECTS) <= MAX_CELLS, "it has too many numbers")
    effects = np.stack([_effect(content[name], shape, name) for name in EFFECTS], axis=1)
    require(int(effects[:, 0].max()) <= MILLION, "a rise is above 1")
    require(not effects[..., 0].any(), "an effect of strength 0 is not 0")
    tagger = None if content["tagger"] is None else TaggerIdentity(**content["tagger"])
    require((tagger is None) == (key == "characters"), "tags go with a tagger, characters do not")
    learned = dict(content["learned"])
    learned["corpora"] = tuple(learned["corpora"])
    return GainTable(
        key,
        longest,
        classes,
        counts,
        temperatures,
        strengths,
        effects,
        Learned(**learned),
        content["language"],
        tagger,
        digest,
    )


def _numbers(values: Any, most: int, name: str) -> list[int]:
    require(isinstance(values, list) and 1 <= len(values) <= most, f"{name} is not a list of few numbers")
    _require_numbers(values, 0, 2**53, f"one of {name}")
    return list(values)


def _require_numbers(values: Sequence[Any], low: int, high: int, name: str) -> None:
    require(set(map(type, values)) == {int}, f"{name} is not a whole number")
    require(low <= min(values) and max(values) <= high, f"{name} is not within {low} and {high}")


def _effect(values: Any, shape: tuple[int, ...], name: str) -> Whole:
    """Numbers of one effect, (temperatures, classes, strengths), at least 0."""
    require(isinstance(values, list) and len(values) == shape[0], f"{name} does not fit the temperatures")
    for rows in values:
        require(isinstance(rows, list) and len(rows) == shape[1], f"{name} does not fit the classes")
        for row in rows:
            require(isinstance(row, list) and len(row) == shape[2], f"{name} does not fit the strengths")
            _require_numbers(row, 0, 100 * MILLION, f"one of {name}")
    return np.array(values, dtype=np.int64)
