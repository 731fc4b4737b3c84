"""The files of a model of words: what it knows as JSON, and weights in 16 bits. Bounded, and no pickle."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import stela_core as stela
from stela_causal.alphabet import Alphabet
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
    dilations: list[int]
    delay: int
    arrays: Arrays
    """The arrays by the names that torch gives them."""


class Description(BaseModel):
    """What ``model.json`` holds."""

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

    def problem(self) -> str | None:
        """What no single field tells; ``None`` where all is well."""
        if len(self.folded) != len(self.characters) or len(set(self.characters)) != len(self.characters):
            return "characters and folded do not go together"
        if not all(a < b for a, b in pairwise([0, *self.lengths, 65])):
            return "lengths are not ascending from 1 to 64"
        if not all(1 <= dilation <= 64 for dilation in self.dilations):
            return "a dilation is not 1 to 64"
        if not all(all(label.split("+")) for label in self.labels):
            return "a label is empty"
        if (self.char_width + len(self.lengths) * self.ending_width) % AT_ONCE or self.width % AT_ONCE:
            return f"a width is not a multiple of {AT_ONCE}"
        return None

    def alphabet(self) -> Alphabet:
        """The characters and buckets."""
        return Alphabet(self.characters, self.folded, self.lengths, self.bits)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shape of each array, in the order of the file: of linear layers (out, in)."""
        given = self.char_width + len(self.lengths) * self.ending_width
        shapes: dict[str, tuple[int, ...]] = {"chars.weight": (self.alphabet().size, self.char_width)}
        for number in range(len(self.lengths)):
            shapes[f"endings.{number}.weight"] = (1 << self.bits, self.ending_width)
        for number in range(len(self.dilations)):
            shapes[f"layers.{number}.weight"] = (self.width, TAPS * (self.width if number else given))
            shapes[f"layers.{number}.bias"] = (self.width,)
        scores = (self.delay + 1) * (1 + len(self.labels))
        return {**shapes, "scores.weight": (scores, self.width), "scores.bias": (scores,)}


def write_model(folder: Path, description: Description, arrays: Arrays) -> None:
    """Write the two files into ``folder``: the same bytes for the same model."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / DESCRIPTION).write_text(description.model_dump_json(indent=1) + "\n", encoding="utf-8")
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
    return WordModel(known.alphabet(), labels, known.dilations, known.delay, arrays)
