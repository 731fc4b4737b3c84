"""Marker: one stateless step of insertion. Where vLLM, SGLang or llama.cpp plug in.

An engine calls the marker once a step, for all sequences of its batch together, between the model and the
sampler::

    marker = wm.marker()
    logits = marker(ids, logits)  # ids: what each sequence has generated so far, its prompt left out

With llama-cpp-python, whose processors see one sequence, it is ``marker([ids[prompt:]], scores[None])[0]``.
What applies biases itself, on another device, takes :meth:`Marker.step` alone. A server has the states of its
requests kept by ``wm.requests()`` (:mod:`stela_core.insertion.requests`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np

from stela_core.catalogue import needed_kernels
from stela_core.composition import Composition
from stela_core.errors import StelaError, contained
from stela_core.insertion.copies import Unchanging
from stela_core.insertion.row_keys import RowKeys
from stela_core.insertion.step import Insertion, Rows, Step
from stela_core.insertion.text_state import LAST_IDS, RowStates, TextStates
from stela_core.interfaces import Choice, GreenList
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

AnyRows: TypeAlias = "Rows | RowStates | npt.NDArray[Any] | torch.Tensor"

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")


class RoundTrip(Protocol):
    """That of stela-round-trip, as markers see it."""

    gave_way: int

    def apply(self, rows: Rows, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back from text."""


class Marker(Unchanging):
    """Mark the logits of a step: a function of the generated ids and the logits, of nothing else.

    It remembers no earlier call: rows may come and go, change places, step back and differ in length, and
    threads may share it. A row gets the same in any batch; its weights equal those at detection.

    numpy logits need neither torch nor stela-kernels but where the strength reads the logits or the green
    tokens' probability (SWEET, MorphMark), or the hasher overrides ``add_bias`` without ``add_bias_to_array``
    (stela-interop's selfhash).

    A mark that chooses tokens (:attr:`samples`) takes the *final* logits, after temperature, top-k and top-p;
    the engine then samples from what comes back at temperature 1.

    Args:
        composition: hasher with its key, strength weighting and scale.
        tokens: bytes of each token id.
        contexts: the causal POS contexts, where the strength reads them.
        vocab_size: ids from here on (the padding of the logits) are left unchanged.
        round_trip: takes ids away that the text, cut again, would not hold; ``None`` lets all be.
    """

    def __init__(
        self,
        composition: Composition,
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        vocab_size: int,
        round_trip: RoundTrip | None = None,
    ) -> None:
        self._insertion = Insertion(composition, tokens, contexts)
        self._hasher = composition.hasher
        self._tokens, self._contexts = tokens, contexts
        self._vocab_size = vocab_size
        self._reads = bool({"logits", "green"} & composition.strength.needs)
        self._strength = composition.strength
        self._round_trip = round_trip

    @contained
    def __call__(self, ids: AnyRows, logits: Logits) -> Logits:
        """The marked logits of a step.

        Args:
            ids: token ids generated so far of each row, its prompt left out: a sequence of sequences, or a
                2-D array or tensor where all are equally long.
            logits: (rows, width), floating-point, a torch tensor or a numpy array; left as it was.

        Returns:
            logits of the same shape, kind, type and device; ``logits`` itself where no row is marked.

        Raises:
            StelaError: the rows of the two do not go together, an id is a placeholder, or numpy logits need
                torch, which is missing.
        """
        rows = rows_of(ids)
        return self.finish(rows, self.step(rows, logits), logits)

    @property
    def samples(self) -> bool:
        """Whether the mark is a choice of tokens: logits then are the final ones, temperature and all."""
        return self._hasher.samples

    @property
    def keys(self) -> frozenset[int]:
        """The keys that its rows are marked under."""
        rows = self._hasher.rows if isinstance(self._hasher, RowKeys) else [self._hasher]
        return frozenset(row.key for row in rows)

    @property
    def gave_way(self) -> int:
        """Steps of a row at which ``round_trip`` had to allow an id that may not come back from text.

        All markers of a watermark count together; 0 without ``round_trip``.
        """
        return 0 if self._round_trip is None else self._round_trip.gave_way

    def texts(self) -> TextStates:
        """What keeps the states of texts for this mark: rows of them, :class:`.RowStates`, stand for ids."""
        return TextStates(self._hasher, self._strength, self._tokens, self._contexts, least=LAST_IDS)

    def finish(self, ids: AnyRows, step: Step, logits: Logits) -> Logits:
        """The logits of a step, marked, without the ids that ``round_trip`` forbids."""
        if self.samples:  # which token is chosen depends on those that may come
            return self.apply(step, self.keep(ids, logits))
        return self.keep(ids, self.apply(step, logits))

    @contained
    def step(
        self,
        ids: AnyRows,
        logits: torch.Tensor | npt.NDArray[Any] | None = None,
    ) -> Step:
        """Seeds, weights and biases of a step, without applying them; arguments as for a call.

        Args:
            ids: as for a call.
            logits: may be left out where the scheme's strength does not read them.

        Raises:
            StelaError: as for a call, or the strength reads logits and there are none.
        """
        rows = rows_of(ids)
        if logits is not None:
            _check(rows, logits)
        if not self._reads:
            return self._insertion.step(rows, None, self._vocab_size)
        if logits is None:
            raise StelaError(
                f'weighting "{self._strength.name}" reads the logits of the step.', "give them, too"
            )
        if isinstance(logits, np.ndarray):
            needed_for = f'weighting "{self._strength.name}"'
            logits = needed_kernels(needed_for).as_tensor(logits, needed_for)
        return self._insertion.step(rows, logits, min(self._vocab_size, logits.shape[-1]))

    def apply(self, step: Step, logits: Logits) -> Logits:
        """The logits of a step with its biases on the green tokens; a step is applied once.

        Of a mark that samples: the logits of the marked distribution, in rows that are marked.
        """
        if not step.marks:
            return logits
        if isinstance(self._hasher, Choice):
            return self._chosen(self._hasher, step, logits)
        hasher = cast("GreenList", self._hasher)
        width = min(self._vocab_size, logits.shape[-1])
        if not isinstance(logits, np.ndarray):
            if step.split is not None:
                return step.split.add_bias(step.biases)
            return hasher.add_bias(logits, step.seeds, step.biases, width)
        if step.split is not None:
            return _as_array(step.split.add_bias(step.biases), logits)
        if hasher.by_torch:
            kernels = needed_kernels(needed_for := f'hasher "{hasher.name}"')
            tensor = kernels.as_tensor(logits, needed_for)
            return _as_array(hasher.add_bias(tensor, step.seeds, step.biases, width), logits)
        return hasher.add_bias_to_array(logits, step.seeds, step.biases, width)

    def _chosen(self, hasher: Choice, step: Step, logits: Logits) -> Logits:
        if isinstance(logits, np.ndarray):
            out = hasher.mark_array(logits, step.seeds, self._vocab_size)
        else:
            out = hasher.mark(logits, step.seeds, self._vocab_size)
        others = [row for row, weight in enumerate(step.weights) if weight is None]
        if others:
            out[others] = logits[others]
        return out

    def keep(self, ids: AnyRows, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back from text; ``logits`` itself without
        ``round_trip``. Arguments as for a call.
        """
        if self._round_trip is None:
            return logits
        rows = rows_of(ids)
        return self._round_trip.apply(rows.ends() if isinstance(rows, RowStates) else rows, logits)


def rows_of(ids: Any) -> Rows | RowStates:
    """Ids as rows of plain integers, or as an array where all are equally long; lists are taken as they are,
    and so are the states of texts.

    Raises:
        StelaError: they are not rows of ids.
    """
    if isinstance(ids, RowStates):
        return ids
    if hasattr(ids, "cpu"):  # a torch tensor
        ids = ids.cpu().numpy()
    if isinstance(ids, np.ndarray):
        if ids.ndim == 2 and ids.dtype.kind in "iu":
            return ids
        raise _not_rows()
    try:
        return [
            row if isinstance(row, list | tuple) else row.tolist() if hasattr(row, "tolist") else list(row)
            for row in ids
        ]
    except TypeError:
        raise _not_rows() from None


def _as_array(scores: torch.Tensor, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = scores.numpy().astype(like.dtype, copy=False)
    return array


def _not_rows() -> StelaError:
    return StelaError(
        "the ids are not rows of token ids.", "give a sequence for each row, [[...]] for one row"
    )


def _check(rows: Rows | RowStates, logits: Any) -> None:
    torch = sys.modules.get("torch")  # whoever has a tensor has imported it
    if isinstance(logits, np.ndarray):
        floating = logits.dtype.kind == "f" or logits.dtype.name == "bfloat16"
    elif torch is not None and isinstance(logits, torch.Tensor):
        floating = logits.is_floating_point()
    else:
        raise StelaError(
            f"logits are a torch tensor or a numpy array, not {type(logits).__name__}.",
            "numpy.asarray and torch.from_dlpack make one",
        )
    if not floating or logits.ndim != 2:
        raise StelaError(
            f"logits are floating-point numbers (rows, width), not {logits.dtype} {tuple(logits.shape)}.",
            "give a row for each text: logits[None] for one",
        )
    if len(rows) != logits.shape[0]:  # len(logits) is slow for a tensor
        raise StelaError(
            f"{len(rows)} rows of ids for {logits.shape[0]} rows of logits.", "give both for the same texts"
        )
