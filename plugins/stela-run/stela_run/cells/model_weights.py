"""Weights by a model's logits: it reads each text once, for all lengths, schemes and workers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout
from stela_models.logits import ModelLogits

from stela_core import Weighting
from stela_core.api import Detector

FOLDER = "weights"
"""Name of the files' folder, in the folder of a run."""

BATCH = 16
"""Texts of a file, which the model reads together: what it says of them does not depend on who asked."""

Ids = npt.NDArray[np.int64]

RawWeights = tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]
"""Positions of a text's scored tokens, (n,), and their weights, (n,)."""

ByWeighting = dict[str, list[RawWeights]]
"""Raw weights of each text of a batch, by the name of a weighting."""


class Asked(NamedTuple):
    """A text whose weights are asked for."""

    prompt: str
    """Empty where none is known."""
    ids: Ids
    positions: npt.NDArray[np.intp]
    """Positions of the tokens that are scored, (n,)."""


class Read(NamedTuple):
    """What is known of one text."""

    ids: Ids
    weights: RawWeights


class ModelWeights:
    """Raw weights of texts under one model, kept in memory and, where there is a folder, in files.

    A model reads from left to right, so the weights of a text's first tokens are those of the text cut
    there: ask for the longest first. A batch that another worker is at is left to it.

    Args:
        model: its name, which keeps the files of models apart.
        logits: runs it.
        weightings: worked out together, for the cells that will ask for them.
        folder: of the files; a worker that cannot write there keeps nothing.
        reads_prompts: whether texts are read after their prompts, as the writing model did.
    """

    def __init__(
        self,
        model: str,
        logits: ModelLogits,
        weightings: Sequence[Weighting],
        folder: Path | None,
        reads_prompts: bool = True,
    ) -> None:
        self.reads_prompts = reads_prompts
        self._model = model
        self._logits = logits
        self._weightings = {name_of(weighting): weighting for weighting in weightings}
        self._folder = folder
        self._known: dict[tuple[str, str], list[Read]] = {}
        """Texts that were read, by prompt and name of the weighting."""

    def of(
        self, detector: Detector, rows: Sequence[Sequence[int]], prompts: Sequence[str] | None
    ) -> list[RawWeights]:
        """Positions and raw weights of each text of token ids, by the detector's weighting.

        Raises:
            StelaError: the weighting breaks its contract.
        """
        name = name_of(detector.composition.evidence)
        self._weightings.setdefault(name, detector.composition.evidence)
        texts = [np.asarray(row, dtype=np.int64) for row in rows]
        positions = detector.positions_of(texts, self._logits, prompts)
        asked = [Asked(*text) for text in zip(prompts or [""] * len(texts), texts, positions, strict=True)]
        unknown = [text for text in asked if self._cut(text, name) is None]
        unknown.sort(key=lambda text: len(text.ids))
        batches = [unknown[start : start + BATCH] for start in range(0, len(unknown), BATCH)]
        for wait in (False, True):
            batches = [batch for batch in batches if not self._read(detector, batch, bool(prompts), wait)]
        weights = []
        for text in asked:
            cut = self._cut(text, name)
            assert cut is not None, "what was not known has been read"
            weights.append(cut)
        return weights

    def _cut(self, text: Asked, name: str) -> RawWeights | None:
        """Weights of a text that begins one that was read; ``None`` where there is none."""
        for read in self._known.get((text.prompt, name), ()):
            if np.array_equal(text.ids, read.ids[: len(text.ids)]):
                known, weights = read.weights
                places = np.searchsorted(known, text.positions)
                if np.array_equal(known[places[places < len(known)]], text.positions):
                    return text.positions, weights[places]
        return None

    def _read(self, detector: Detector, batch: list[Asked], prompted: bool, wait: bool) -> bool:
        """Read texts, from their file or by the model; ``False`` where another worker is at them."""
        rows = [text.ids for text in batch]
        prompts = [text.prompt for text in batch] if prompted else None

        def work() -> ByWeighting:
            return detector.raw_weights(rows, self._logits, prompts, self._weightings)

        path = self._path_of(detector, rows, prompts)
        made = work() if path is None else shared(path, work, wait)
        if made is None:
            return False
        for weighting, weights in made.items():
            for text, raw in zip(batch, weights, strict=True):
                self._known.setdefault((text.prompt, weighting), []).append(Read(text.ids, raw))
        return True

    def _path_of(self, detector: Detector, rows: list[Ids], prompts: list[str] | None) -> Path | None:
        """The file of a batch, if there are files."""
        if self._folder is None:
            return None
        hasher = detector.composition.hasher  # which tokens are scored depends on it, but not on its key
        mark = (hasher.name, hasher.parameters.model_dump_json())
        digest = hashlib.sha256(repr((self._model, mark, sorted(self._weightings), prompts)).encode())
        for row in rows:
            digest.update(len(row).to_bytes(8, "little") + row.tobytes())
        return self._folder / f"{digest.hexdigest()[:32]}.npz"


def name_of(weighting: Weighting) -> str:
    """A weighting and its parameters, in words."""
    return f"{weighting.name} {weighting.parameters.model_dump_json()}"


def shared(path: Path, work: Callable[[], ByWeighting], wait: bool) -> ByWeighting | None:
    """The weights of a file; where there is none, those of ``work``, which are kept in it.

    A worker that is killed leaves no file and no lock behind it. Where none can be written, the work is done.

    Args:
        path: of the file.
        work: makes them.
        wait: for another worker that is at the same file; else ``None`` is returned.
    """
    weights = read(path)
    if weights is not None:
        return weights
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=-1 if wait else 0):
            weights = read(path)  # by one who had the lock before
            if weights is None:
                weights = work()
                write(path, weights)
            return weights
    except Timeout:
        return None
    except OSError:
        return work() if weights is None else weights


def write(path: Path, weights: ByWeighting) -> None:
    """Keep weights, whole or not at all."""
    names = list(weights)
    arrays: dict[str, Any] = {
        f"{part}-{number}-{row}": array
        for number, name in enumerate(names)
        for row, raw in enumerate(weights[name])
        for part, array in zip(("positions", "values"), raw, strict=True)
    }
    unfinished = path.with_suffix(f".{os.getpid()}.part")
    with unfinished.open("wb") as file:
        np.savez(file, names=np.array(names), **arrays)
    unfinished.replace(path)


def read(path: Path) -> ByWeighting | None:
    """Weights that were kept; ``None`` where there are none that can be read."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {
                str(name): [
                    (file[f"positions-{number}-{row}"], file[f"values-{number}-{row}"])
                    for row in range(sum(key.startswith(f"values-{number}-") for key in file.files))
                ]
                for number, name in enumerate(file["names"])
            }
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
