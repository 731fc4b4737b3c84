"""The marks of a batch's rows: the watermark's, or it under the keys or with the messages that rows have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from stela_core.catalogue import mark_kernels
from stela_core.composition import Composition
from stela_core.errors import StelaError
from stela_core.interfaces import Encoder, GreenList, Hasher, SamplingHasher
from stela_core.interfaces.encoder import Messages

if TYPE_CHECKING:
    import torch

    from stela_core.interfaces.green_list import Split

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")

Marks = Sequence[Hasher[Any]]
"""One for each row, (rows,); equal ones are one object."""


class Step(NamedTuple):
    """What to do to each row: raise green tokens by ``biases[r]``, or choose one, under ``seeds[r]``."""

    seeds: npt.NDArray[np.uint64]
    """(rows,), or (rows, words) where a seed has several; 0 where the next token is not marked."""
    weights: list[float | None]
    """Strength weight of each row; ``None`` where the next token is not marked."""
    biases: list[float]
    """Bias of each row in nats; 0 where the next token is not marked."""
    splits: Sequence[Split] = ()
    """The green tokens, where the weights needed them: of all rows, or of those of each mark."""

    @property
    def marks(self) -> bool:
        """Whether the next token of any row is marked."""
        return any(weight is not None for weight in self.weights)


class RowMarks:
    """Mark the rows of a batch: one pass for all of them, or one for the rows of each mark.

    Where draws depend on the key only through the seed (:attr:`stela_core.Hasher.key_in_seed`), one pass
    serves all rows, whatever their marks.

    Args:
        composition: the hasher, and the encoder of messages.
        vocab_size: ids from here on are left unchanged.
        marks: of the rows; ``None`` where the hasher marks all.
    """

    def __init__(self, composition: Composition, vocab_size: int, marks: Marks | None = None) -> None:
        encoder, self._hasher = composition.encoder, composition.hasher
        self._vocab_size = vocab_size
        self._of_rows = marks
        self._row_seeds = None if encoder is None or marks is None else encoder.row_seeds(marks)
        of_mark: dict[int, tuple[Hasher[Any], list[int]]] = {}
        if marks is not None and not self._hasher.key_in_seed:
            for row, mark in enumerate(marks):
                of_mark.setdefault(id(mark), (mark, []))[1].append(row)
        self._passes = list(of_mark.values())
        """Marks and their rows, where each has its pass."""

    @property
    def each(self) -> Marks:
        """The mark of each row, or the one of all."""
        return [self._hasher] if self._of_rows is None else self._of_rows

    def seeds(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds of the hash contexts (n, context_width) of these rows of the batch, (n,)."""
        marks = self._of_rows
        if marks is None:
            return self._hasher.seeds_of(rows, contexts)
        if rows[-1] >= len(marks):
            raise StelaError(
                f"row {rows[-1] + 1} has no key: there are {len(marks)}.", "give a key for each row"
            )
        if self._row_seeds is not None:
            return self._row_seeds(rows, contexts)
        pairs = zip(rows, contexts, strict=True)
        return np.array([marks[row].seeds(context[None])[0] for row, context in pairs], dtype=np.uint64)

    def splits(
        self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64]
    ) -> tuple[Sequence[Split], npt.NDArray[np.float64]]:
        """The green tokens, of all rows or of those of each mark, and their probability in each row."""
        size = min(self._vocab_size, scores.shape[-1])
        if not self._passes:
            split = cast("GreenList", self._hasher).split(scores, seeds, size)
            return [split], split.green_mass
        splits, mass = [], np.empty(len(seeds))
        for mark, rows in self._passes:
            splits.append(cast("GreenList", mark).split(scores[rows], seeds[rows], size))
            mass[rows] = splits[-1].green_mass
        return splits, mass

    def apply(self, step: Step, logits: Logits) -> Logits:
        """The logits of a step with its biases on the green tokens, or those of the marked distribution."""
        if not self._passes:
            return self._marked(self._hasher, step, logits)
        out = logits.copy() if isinstance(logits, np.ndarray) else logits.clone()
        for number, (mark, rows) in enumerate(self._passes):
            weights, biases = [step.weights[row] for row in rows], [step.biases[row] for row in rows]
            own = Step(step.seeds[rows], weights, biases, step.splits[number : number + 1])
            out[rows] = self._marked(mark, own, logits[rows])
        return out

    def _marked(self, mark: Hasher[Any], step: Step, logits: Logits) -> Logits:
        """The logits of rows that one pass marks."""
        width = min(self._vocab_size, logits.shape[-1])
        if isinstance(mark, SamplingHasher):
            return self._chosen(mark, step, logits)
        hasher = cast("GreenList", mark)
        if not isinstance(logits, np.ndarray):
            if step.splits:
                return step.splits[0].add_bias(step.biases)
            return hasher.add_bias(logits, step.seeds, step.biases, width)
        if step.splits:
            return _as_array(step.splits[0].add_bias(step.biases), logits)
        if hasher.by_torch:
            kernels = mark_kernels(needed_for := f'hasher "{hasher.name}"')
            tensor = kernels.as_tensor(logits, needed_for)
            return _as_array(hasher.add_bias(tensor, step.seeds, step.biases, width), logits)
        return hasher.add_bias_to_array(logits, step.seeds, step.biases, width)

    def _chosen(self, hasher: SamplingHasher, step: Step, logits: Logits) -> Logits:
        if isinstance(logits, np.ndarray):
            out = hasher.mark_array(logits, step.seeds, self._vocab_size)
        else:
            out = hasher.mark(logits, step.seeds, self._vocab_size)
        others = [row for row, weight in enumerate(step.weights) if weight is None]
        if others:
            out[others] = logits[others]
        return out


def row_marks(
    composition: Composition, keys: Sequence[int] | None, message: Messages | None
) -> Hasher[Any] | Marks:
    """The mark of all rows, or that of each where keys or messages are the rows'.

    Args:
        composition: hasher with its key; the encoder of messages, where marks carry one.
        keys: one for each row, in place of the hasher's.
        message: of all rows, or one for each.

    Raises:
        StelaError: marks carry none and there is one, or the other way round; it has another number of bits;
            or rows have keys, and messages are more or fewer.
    """
    encoder, mark = composition.encoder, composition.hasher
    under = {key: mark.under(key) for key in keys or ()}
    rows = None if keys is None else [under[key] for key in keys]
    if encoder is None:
        if message is not None:
            raise Encoder.missing()
        return mark if rows is None else rows
    of_all = message is None or isinstance(message, str) or not isinstance(message, Iterable)
    given: Any = [message] if of_all else message
    numbers = [encoder.required(each) for each in given]
    if of_all and rows is None:
        return encoder.carrying(mark, numbers[0])
    rows = [mark] * len(numbers) if rows is None else rows
    numbers = numbers * len(rows) if of_all else numbers
    if len(numbers) != len(rows):
        raise StelaError(
            f"{len(numbers)} messages for {len(rows)} keys.",
            "give one message for each row, in the same order",
        )
    pairs = [(id(row), number) for row, number in zip(rows, numbers, strict=True)]
    made = {pair: encoder.carrying(row, pair[1]) for pair, row in zip(pairs, rows, strict=True)}
    return [made[pair] for pair in pairs]


def _as_array(scores: torch.Tensor, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = scores.numpy().astype(like.dtype, copy=False)
    return array
