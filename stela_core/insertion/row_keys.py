"""A batch whose rows have keys or messages of their own, for a mark that no single key stands behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from stela_core.composition import Composition
from stela_core.errors import StelaError
from stela_core.interfaces import Choice, GreenList, Law, Mark
from stela_core.interfaces.encoder import Messages, RowSeeds, no_message
from stela_core.interfaces.green_list import Split

if TYPE_CHECKING:
    import torch

Part = TypeVar("Part")
M = TypeVar("M", bound="Mark[Any]")


class RowKeys(Mark[Any], Generic[M]):
    """Hash and draw row r of every step under the key ``keys[r]``, as the mark does under it alone.

    Where draws depend on the key through the seed alone (:attr:`stela_core.Mark.key_in_seed`), one pass
    serves all rows; else the rows of each key are marked by themselves.

    Args:
        hasher: whose class and parameters all rows share.
        marks: it under the key, or with the message, of each row, (rows,); equal ones are one object.
        seeds: gives the seeds of rows and their contexts in one pass, where there is such a way.
    """

    name = "row-keys"

    def __init__(self, hasher: M, marks: Sequence[M], seeds: RowSeeds | None = None) -> None:
        super().__init__(hasher.parameters, hasher.key)
        self.alike = hasher
        """What all rows share but the key."""
        self.padding, self.seed_words = hasher.padding, hasher.seed_words  # type: ignore[misc]
        kind = type(hasher)
        self.rows = list(marks)
        """The mark of each row."""
        self._seeds = seeds
        rows: dict[int, tuple[M, list[int]]] = {}
        for row, mark in enumerate(marks):
            rows.setdefault(id(mark), (mark, []))[1].append(row)
        together = [(hasher, list(range(len(marks))))]
        self._groups = together if kind.key_in_seed else list(rows.values())

    @property
    def law(self) -> Law:
        """That of all rows."""
        return self.alike.law

    @property
    def first_only(self) -> bool:
        """That of all rows."""
        return self.alike.first_only

    @property
    def most_contexts(self) -> int | None:
        """That of all rows."""
        return self.alike.most_contexts

    def contexts(self, ids: npt.NDArray[np.int64], positions: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Those of all rows."""
        return self.alike.contexts(ids, positions)

    def seeds_of(self, rows: Sequence[int], contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds (n,) of hash contexts (n, context_width) of these rows of the batch, (n,)."""
        if rows and rows[-1] >= len(self.rows):
            raise StelaError(
                f"row {rows[-1] + 1} has no key: there are {len(self.rows)}.", "give a key for each row"
            )
        if self._seeds is not None:
            return self._seeds(rows, contexts)
        pairs = zip(rows, contexts, strict=True)
        return np.array([self.rows[row].seeds(context[None])[0] for row, context in pairs], dtype=np.uint64)

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds of one context for each row of the batch, (rows, context_width) -> (rows,)."""
        return self.seeds_of(range(len(contexts)), contexts)

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Draws of one token a row, (rows, parts)."""
        draws = np.empty((len(seeds), len(self.law.parts)))
        for hasher, rows in self._groups:
            draws[rows] = hasher.draws(seeds[rows], tokens[rows])
        return draws


class GreenRows(RowKeys[GreenList], GreenList):
    """Such a batch of a mark that raises green tokens."""

    name = "green-rows"

    def green(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each row's token is green under its seed, (rows,), (rows,) -> (rows,)."""
        return np.asarray(self.draws(seeds, tokens)[:, 0] > 0)

    def add_bias(
        self,
        scores: torch.Tensor,
        seeds: npt.NDArray[np.uint64],
        biases: Sequence[float],
        vocab_size: int,
    ) -> torch.Tensor:
        """New scores (rows, width): as for a hasher; ``seeds`` and ``biases`` are those of all rows."""

        def marked(hasher: GreenList, rows: list[int]) -> torch.Tensor:
            return hasher.add_bias(scores[rows], seeds[rows], [biases[row] for row in rows], vocab_size)

        if len(self._groups) == 1:
            return self._groups[0][0].add_bias(scores, seeds, biases, vocab_size)
        return _by_rows(scores, self._groups, marked)

    def split(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> Split:
        """Each row's split; arguments as for :meth:`add_bias`."""
        if len(self._groups) == 1:
            return self._groups[0][0].split(scores, seeds, vocab_size)
        parts = [(hasher.split(scores[rows], seeds[rows], vocab_size), rows) for hasher, rows in self._groups]
        return RowsSplit(scores, parts)


class ChoiceRows(RowKeys[Choice], Choice):
    """Such a batch of a mark that chooses tokens."""

    name = "choice-rows"

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """New scores (rows, width), each row's under its key."""

        def marked(hasher: Choice, rows: list[int]) -> torch.Tensor:
            return hasher.mark(scores[rows], seeds[rows], vocab_size)

        if len(self._groups) == 1:
            return self._groups[0][0].mark(scores, seeds, vocab_size)
        return _by_rows(scores, self._groups, marked)

    def mark_array(
        self, scores: npt.NDArray[Any], seeds: npt.NDArray[np.uint64], vocab_size: int
    ) -> npt.NDArray[Any]:
        """:meth:`mark` for logits in a numpy array, each row's under its key."""
        out = scores.copy()
        for hasher, rows in self._groups:
            out[rows] = hasher.mark_array(scores[rows], seeds[rows], vocab_size)
        return out


class RowsSplit:
    """The split of a batch put together from those of some of its rows."""

    def __init__(self, scores: torch.Tensor, parts: Sequence[tuple[Split, list[int]]]) -> None:
        self._scores = scores
        self._parts = parts

    @property
    def green_mass(self) -> npt.NDArray[np.float64]:
        """Probability of the green ids in each row, (rows,)."""
        mass = np.empty(len(self._scores))
        for split, rows in self._parts:
            mass[rows] = split.green_mass
        return mass

    def add_bias(self, biases: Sequence[float]) -> torch.Tensor:
        """New scores with ``biases[r]`` added to row r's green ids; to be called once."""

        def marked(split: Split, rows: list[int]) -> torch.Tensor:
            return split.add_bias([biases[row] for row in rows])

        return _by_rows(self._scores, self._parts, marked)


def _by_rows(
    scores: torch.Tensor,
    parts: Sequence[tuple[Part, list[int]]],
    marked: Callable[[Part, list[int]], torch.Tensor],
) -> torch.Tensor:
    out = scores.clone()
    for part, rows in parts:
        out[rows] = marked(part, rows)
    return out


def with_row_keys(composition: Composition, keys: Sequence[int]) -> Composition:
    """The same parts for a batch whose rows are marked under these keys, (rows,); see :class:`RowKeys`."""
    under = {key: composition.hasher.under(key) for key in keys}
    return with_row_marks(composition, [under[key] for key in keys])


def with_row_marks(composition: Composition, marks: Sequence[Mark[Any]]) -> Composition:
    """The same parts for a batch whose rows have these marks, (rows,): the hasher under other keys, or with
    messages; see :class:`RowKeys`.
    """
    seeds = None if composition.encoder is None else composition.encoder.row_seeds(marks)
    kind: Any = ChoiceRows if composition.hasher.samples else GreenRows
    return replace(composition, hasher=kind(composition.hasher, marks, seeds))


def with_message(composition: Composition, message: Messages | None) -> Composition:
    """The parts that mark with this message, or each row of a batch with its own.

    Raises:
        StelaError: marks carry none and there is one, or the other way round; it is not one of so many bits;
            or rows have keys, and messages are more or fewer.
    """
    encoder, mark = composition.encoder, composition.hasher
    if encoder is None:
        if message is not None:
            raise no_message()
        return composition
    alone = message is None or isinstance(message, str) or not isinstance(message, Iterable)
    given: Any = [message] if alone else message
    numbers = [encoder.required(each) for each in given]
    if not isinstance(mark, RowKeys):
        if alone:
            return replace(composition, hasher=encoder.carrying(mark, numbers[0]), encoder=None)
        rows, alike = [mark] * len(numbers), mark
    else:
        rows, alike = mark.rows, mark.alike
        numbers = numbers * len(rows) if alone else numbers
    if len(numbers) != len(rows):
        raise StelaError(
            f"{len(numbers)} messages for {len(rows)} keys.",
            "give one message for each row, in the same order",
        )
    pairs = [(id(row), number) for row, number in zip(rows, numbers, strict=True)]
    made = {pair: encoder.carrying(row, pair[1]) for pair, row in zip(pairs, rows, strict=True)}
    parts = with_row_marks(replace(composition, hasher=alike), [made[pair] for pair in pairs])
    return replace(parts, encoder=None)
