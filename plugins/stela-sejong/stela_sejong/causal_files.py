"""The files of the causal model: what it knows, and its weights in 16 bits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_sejong.causal_characters import Characters

Arrays = Mapping[str, npt.NDArray[np.float32]]
FILES = ("model.json", "weights.npy")


class Saved(NamedTuple):
    """A model as it is on disk."""

    characters: Characters
    labels: list[tuple[str, ...]]
    """Tags of the morphemes that begin at a character; none first."""
    dilations: list[int]
    delay: int
    arrays: Arrays
    """Arrays by the names that torch gives them."""


def write_model(folder: Path, known: Saved) -> None:
    """Write the two files into ``folder``: the same bytes for the same model."""
    folder.mkdir(parents=True, exist_ok=True)
    description: dict[str, Any] = {
        "characters": known.characters.known,
        "bits": known.characters.bits,
        "labels": ["+".join(label) for label in known.labels],
        "dilations": known.dilations,
        "delay": known.delay,
        "arrays": {name: list(array.shape) for name, array in known.arrays.items()},
    }
    text = json.dumps(description, ensure_ascii=False, indent=1)
    (folder / FILES[0]).write_text(text + "\n", encoding="utf-8")
    flat = np.concatenate([array.ravel() for array in known.arrays.values()])
    np.save(folder / FILES[1], flat.astype("<f2"), allow_pickle=False)


def read_model(folder: Path) -> Saved:
    """The model in ``folder``, which comes with this package."""
    description = json.loads((folder / FILES[0]).read_text(encoding="utf-8"))
    flat = np.load(folder / FILES[1], allow_pickle=False).astype(np.float32)
    arrays = {}
    first = 0
    for name, shape in description["arrays"].items():
        size = int(np.prod(shape))
        arrays[name] = flat[first : first + size].reshape(shape)
        first += size
    return Saved(
        Characters(description["characters"], description["bits"]),
        [tuple(label.split("+")) if label else () for label in description["labels"]],
        description["dilations"],
        description["delay"],
        arrays,
    )
