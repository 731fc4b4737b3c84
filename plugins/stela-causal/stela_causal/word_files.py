"""The files of a model of words: what it knows as JSON, and weights in 16 bits. Bounded, and no pickle."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import stela_core as stela
from stela_causal import walk
from stela_causal.alphabet import JAMO, Alphabet
from stela_causal.code_points import OUTSIDE
from stela_causal.grams import LONGEST
from stela_causal.layers import AT_ONCE, TAPS
from stela_core.api import one_line, parse_json, read_bounded

Arrays = Mapping[str, npt.NDArray[np.float32]]
DESCRIPTION, WEIGHTS = "model.json", "weights.f2"
HINT = "install the plugin again, or make it again with stela language new"
MOST_DESCRIPTION, MOST_WEIGHTS = 4 << 20, 64 << 20


class WordModel(NamedTuple):
    """A model as it is on disk."""

    alphabet: Alphabet
    labels: list[tuple[str, ...]]
    """Tags of a word: several where words are written as one."""
    networks: list[tuple[str, list[int]]]
    """What names of a network's arrays begin with, and its dilations, for each network."""
    delay: int
    labels_at: int
    """The characters of a word that say its label, as :mod:`.walk` has them."""
    arrays: Arrays
    """The arrays by the names that torch gives them."""


class Boundaries(BaseModel):
    """A separate network that says where words begin."""

    model_config = ConfigDict(extra="forbid", strict=True)

    width: int = Field(ge=1, le=1_024)
    dilations: list[int] = Field(min_length=1, max_length=16)
    pairs: int = Field(ge=0, le=1_000_000)
    """The pairs that it knows: as many of the first ones."""


class Description(BaseModel):
    """What ``model.json`` holds; :class:`.Alphabet` says what its fields mean."""

    model_config = ConfigDict(extra="forbid", strict=True)

    characters: str = Field(max_length=100_000)
    folded: str = Field(max_length=100_000)
    lengths: list[int] = Field(min_length=1, max_length=16)
    bits: int = Field(ge=1, le=20)
    labels: list[str] = Field(min_length=1, max_length=1_000)
    dilations: list[int] = Field(min_length=1, max_length=16)
    delay: int = Field(ge=0, le=16)
    char_width: int = Field(ge=1, le=1_024)
    ending_width: int = Field(ge=1, le=1_024)
    width: int = Field(ge=1, le=1_024)
    kinds: list[list[int]] = Field(default=[], max_length=1_000)
    syllables: bool = False
    grams: bool = False
    pairs: str = Field(default="", max_length=1_000_000)
    labels_at: Literal["last", "first", "all"] = "last"
    """The characters of a word that say its label; all: with ``boundaries``."""
    boundaries: Boundaries | None = None

    def problem(self) -> str | None:
        """What no single field tells; ``None`` where all is well."""
        other = self.boundaries
        widths = [self.width, self.char_width + len(self.lengths) * self.ending_width]
        dilations = self.dilations
        if other is not None:
            widths, dilations = [*widths, other.width], [*dilations, *other.dilations]
        if len(self.folded) != len(self.characters) or len(set(self.characters)) != len(self.characters):
            return "characters and folded do not go together"
        if not all(a < b for a, b in pairwise([0, *self.lengths, LONGEST + 1 if self.grams else 65])):
            return f"lengths are not ascending from 1 to {LONGEST if self.grams else 64}"
        if not all(1 <= dilation <= 64 for dilation in dilations):
            return "a dilation is not 1 to 64"
        if not all(all(label.split("+")) for label in self.labels):
            return "a label is empty"
        if any(width % AT_ONCE for width in widths):
            return f"a width is not a multiple of {AT_ONCE}"
        if not all(map(_is_kind, self.kinds)):
            return "a kind of characters is not four numbers in their bounds"
        if self.pairs and (len(self.pairs) % 2 or not self.grams or self.lengths != [2]):
            return "pairs are not the endings"
        if (self.labels_at == "all") != (other is not None) or (other and other.pairs > len(self.pairs) // 2):
            return "boundaries and labels do not go together"
        return None

    def alphabet(self) -> Alphabet:
        """The characters and buckets."""
        known = self.characters, self.folded, self.lengths, self.bits
        return Alphabet(*known, self.kinds, self.syllables, self.grams, self.pairs)

    def networks(self) -> list[tuple[str, list[int]]]:
        """What names of a network's arrays begin with, and its dilations, for each network."""
        first = [("boundaries.", self.boundaries.dilations)] if self.boundaries else []
        return [*first, ("", self.dilations)]

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each array, in the order of the file: of linear layers (out, in)."""
        alphabet, labels, other = self.alphabet(), len(self.labels), self.boundaries
        if other is None:
            return self._shapes("", alphabet, alphabet.rows, self.width, self.dilations, 1 + labels)
        return {
            **self._shapes("boundaries.", alphabet, 1 + other.pairs, other.width, other.dilations, 2),
            **self._shapes("", alphabet, alphabet.rows, self.width, self.dilations, 2 * labels),
        }

    def _shapes(
        self, prefix: str, alphabet: Alphabet, rows: int, width: int, dilations: list[int], kinds: int
    ) -> dict[str, tuple[int, ...]]:
        given = self.char_width + len(self.lengths) * self.ending_width
        shapes: dict[str, tuple[int, ...]] = {"chars.weight": (alphabet.size, self.char_width)}
        if self.syllables:
            shapes |= {f"jamo.{number}.weight": (size, self.char_width) for number, size in enumerate(JAMO)}
        for number in range(len(self.lengths)):
            shapes[f"endings.{number}.weight"] = (rows, self.ending_width)
        for number in range(len(dilations)):
            shapes[f"layers.{number}.weight"] = (width, TAPS * (width if number else given))
            shapes[f"layers.{number}.bias"] = (width,)
        scores = (self.delay + 1) * kinds
        shapes |= {"scores.weight": (scores, width), "scores.bias": (scores,)}
        return {f"{prefix}{name}": shape for name, shape in shapes.items()}


def _is_kind(kind: list[int]) -> bool:
    within = len(kind) == 4 and 0 <= kind[0] <= kind[1] < OUTSIDE
    return within and 0 <= kind[2] < 256 and -1 <= kind[3] < OUTSIDE


def write_model(folder: Path, description: Description, arrays: Arrays) -> None:
    """Write the two files into ``folder``: the same bytes for the same model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DESCRIPTION).write_text(
        description.model_dump_json(indent=1, exclude_defaults=True) + "\n", encoding="utf-8"
    )
    flat = np.concatenate(
        [arrays[name].reshape(shape).ravel() for name, shape in description.shapes().items()]
    )
    (folder / WEIGHTS).write_bytes(flat.astype("<f2").tobytes())


def read_model(folder: Path) -> WordModel:
    """The model in ``folder``.

    Raises:
        StelaError: a file is missing, too large, or not what :func:`write_model` writes.
    """
    what = f'model "{folder}"'
    data = read_bounded(folder / DESCRIPTION, MOST_DESCRIPTION, f"{DESCRIPTION} of {what}", HINT)
    try:
        known = Description.model_validate(parse_json(data, f"{DESCRIPTION} of {what}", HINT))
    except ValidationError as error:
        first = error.errors()[0]
        where = one_line(f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
        raise stela.StelaError(f"{what} is damaged: {where}.", HINT) from None
    if (problem := known.problem()) is not None:
        raise stela.StelaError(f"{what} is damaged: {problem}.", HINT)
    weights = read_bounded(folder / WEIGHTS, MOST_WEIGHTS, f"{WEIGHTS} of {what}", HINT)
    shapes = known.shapes()
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    if len(weights) != 2 * sum(sizes):
        raise stela.StelaError(f"{what} is damaged: {WEIGHTS} has another size.", HINT)
    flat = np.frombuffer(weights, "<f2").astype(np.float32)
    if not np.isfinite(flat).all():
        raise stela.StelaError(f"{what} is damaged: a weight is not a finite number.", HINT)
    parts = np.split(flat, np.cumsum(sizes)[:-1])
    arrays = {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}
    labels = [tuple(label.split("+")) for label in known.labels]
    labels_at = getattr(walk, known.labels_at.upper())
    return WordModel(known.alphabet(), labels, known.networks(), known.delay, labels_at, arrays)
