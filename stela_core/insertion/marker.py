"""Marker: one stateless step of insertion. Where vLLM, SGLang or llama.cpp plug in.

An engine calls the marker once a step, for all sequences of its batch together, between the model and the
sampler::

    marker = wm.marker()
    logits = marker(ids, logits)  # ids: what each sequence has generated so far, its prompt left out

With llama-cpp-python, whose processors see one sequence, it is ``marker([ids[prompt:]], scores[None])[0]``.
What applies biases itself, on another device, takes only :meth:`Marker.step`. A server has the states of its
requests kept by ``wm.requests()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from stela_core.catalogue import mark_kernels
from stela_core.composition import Composition, checked_weights
from stela_core.errors import StelaError, contained
from stela_core.insertion.copies import Immutable
from stela_core.insertion.row_marks import Logits, Marks, RowMarks, Step
from stela_core.insertion.rows import IdRows, Ids, StateRows, check_logits, rows_of
from stela_core.insertion.text_state import LAST_IDS, TextNeeds, TextState, placeholder
from stela_core.interfaces import Context, Positions
from stela_core.interfaces.weighting import SUFFIX_CHARS
from stela_core.text.pos_contexts import CausalContexts
from stela_core.text.token_bytes import TokenBytes

if TYPE_CHECKING:
    import torch

Rows: TypeAlias = "Ids | Sequence[TextState] | IdRows | StateRows | torch.Tensor"
"""What each row has generated so far, its prompt left out: token ids, or the states of texts."""


class RoundTrip(Protocol):
    """The round trip of stela-transformers, as markers see it."""

    gave_way: int
    last_ids: int
    """Ids at the end of each row that it reads."""

    def apply(self, rows: Ids, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back from text."""


class Marker(Immutable):
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
        marks: of the rows of a batch, where they are others than the hasher: it under other keys, or with
            messages.
    """

    def __init__(
        self,
        composition: Composition,
        tokens: TokenBytes,
        contexts: CausalContexts | None,
        vocab_size: int,
        round_trip: RoundTrip | None = None,
        marks: Marks | None = None,
    ) -> None:
        self.composition = composition
        """Hasher with its key, weightings and scorer."""
        self._hasher = hasher = composition.hasher
        self._strength = strength = composition.strength
        self._tokens, self._contexts = tokens, contexts
        self._vocab_size = vocab_size
        self._round_trip = round_trip
        self._reads_logits, self._reads_green = "logits" in strength.needs, "green" in strength.needs
        self._reads_text, self._reads_contexts = "text" in strength.needs, "contexts" in strength.needs
        self._gamma, self._scale = hasher.law.share_above, composition.bias_per_weight
        self._seed_shape = () if hasher.seed_words == 1 else (hasher.seed_words,)
        least = LAST_IDS if round_trip is None else max(LAST_IDS, round_trip.last_ids)
        self._needs = TextNeeds(hasher, strength, tokens, contexts, least)
        self._marks = RowMarks(composition, vocab_size, marks)

    @contained
    def __call__(self, ids: Rows, logits: Logits) -> Logits:
        """The marked logits of a step.

        Args:
            ids: token ids generated so far of each row, its prompt left out: a sequence of sequences, or a
                2-D array or tensor where all are equally long; or a list of the states of texts.
            logits: (rows, width), floating-point, a torch tensor or a numpy array; left as it was.

        Returns:
            logits of the same shape, kind, type and device; ``logits`` itself where no row is marked.

        Raises:
            StelaError: the rows of the two do not go together, an id is a placeholder, or numpy logits need
                torch, which is missing.
        """
        rows = rows_of(self._needs, ids)
        return self.finish(rows, self.step(rows, logits), logits)

    @property
    def samples(self) -> bool:
        """Whether the mark is a choice of tokens: logits then are the final ones, temperature and all."""
        return self._hasher.samples

    @property
    def vocabulary(self) -> int:
        """Ids of the tokenizer: those from here on are never marked."""
        return len(self._tokens)

    @property
    def keys(self) -> frozenset[int]:
        """The keys that its rows are marked under."""
        return frozenset(mark.key for mark in self._marks.each)

    def of_marks(self, marks: Marks) -> Marker:
        """A marker like this one for a batch whose rows have these marks, (rows,): its hasher under other
        keys, or with messages; equal ones are one object.
        """
        parts, of_rows = self.composition, None if all(mark is marks[0] for mark in marks) else marks
        if of_rows is None:
            parts = replace(parts, hasher=marks[0])
        return Marker(parts, self._tokens, self._contexts, self._vocab_size, self._round_trip, of_rows)

    def begin(self, ids: Sequence[int] = ()) -> TextState:
        """The state of a text of these ids: whoever keeps it marks a step at a cost that does not grow.

        Raises:
            StelaError: an id is negative, as placeholders are.
        """
        return TextState(self._needs, ids)

    @property
    def gave_way(self) -> int:
        """Steps of a row at which ``round_trip`` had to allow an id that may not come back from text.

        All markers of a watermark count together; 0 without ``round_trip``.
        """
        return 0 if self._round_trip is None else self._round_trip.gave_way

    def finish(self, ids: Rows, step: Step, logits: Logits) -> Logits:
        """The logits of a step, marked, without the ids that ``round_trip`` forbids."""
        if self.samples:  # which token is chosen depends on those that may come
            return self.apply(step, self.keep(ids, logits))
        return self.keep(ids, self.apply(step, logits))

    @contained
    def step(self, ids: Rows, logits: torch.Tensor | npt.NDArray[Any] | None = None) -> Step:
        """Seeds, weights and biases of a step, without applying them; arguments as for a call.

        A row is marked if its last ``context_width`` generated ids are ordinary tokens: the first
        tokens of a text have no context (unless the hasher pads), and rows that ended get no more.

        Args:
            ids: as for a call.
            logits: may be left out where the scheme's strength does not read them.

        Raises:
            StelaError: as for a call, or the strength reads logits and there are none.
        """
        # Plain lists: on the few numbers of a step they are several times faster than arrays.
        rows = rows_of(self._needs, ids)
        count = len(rows)
        scores: Any = self._scores(rows, logits)
        last, contexts = rows.next_contexts()
        marked = [row for row, end in enumerate(last) if end is not None and self._are_text(end)]
        seeds = np.zeros((count, *self._seed_shape), dtype=np.uint64)
        all_weights: list[float | None] = [None] * count
        biases = [0.0] * count
        if not marked:
            return Step(seeds, all_weights, biases)
        hash_contexts = np.array([contexts[row] for row in marked], dtype=np.int64).reshape(len(marked), -1)
        seeds[marked] = self._marks.seeds(marked, hash_contexts)
        splits, mass = self._marks.splits(scores, seeds) if self._reads_green else ((), None)
        if len(marked) < count:
            scores = scores[marked] if self._reads_logits else None
            mass = None if mass is None else mass[marked]
        weights = self._weights(rows, marked, scores, mass)
        for row, weight in zip(marked, weights, strict=True):
            all_weights[row] = weight
            biases[row] = weight * self._scale
        return Step(seeds, all_weights, biases, splits)

    def apply(self, step: Step, logits: Logits) -> Logits:
        """The logits of a step with its biases on the green tokens; a step is applied once.

        Of a mark that samples: the logits of the marked distribution, in rows that are marked.
        """
        return self._marks.apply(step, logits) if step.marks else logits

    def keep(self, ids: Rows, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back from text; ``logits`` itself without
        ``round_trip``. Arguments as for a call.
        """
        if self._round_trip is None:
            return logits
        return self._round_trip.apply(rows_of(self._needs, ids).ends(), logits)

    def _scores(self, rows: IdRows | StateRows, logits: Any) -> torch.Tensor | None:
        """The logits as the strength reads them, a tensor; ``None`` where it reads none."""
        if logits is not None:
            check_logits(rows, logits)
        if not (self._reads_logits or self._reads_green):
            return None
        needed_for = f'weighting "{self._strength.name}"'
        if logits is None:
            raise StelaError(f"{needed_for} reads the logits of the step.", "give them, too")
        if isinstance(logits, np.ndarray):
            logits = mark_kernels(needed_for).as_tensor(logits, needed_for)
        scores: torch.Tensor = logits
        return scores

    def _are_text(self, ids: Sequence[int]) -> bool:
        if all(map(self._tokens.is_text, ids)):
            return True
        if any(i < 0 for i in ids):
            raise placeholder(min(ids))
        return False

    def _weights(
        self,
        rows: IdRows | StateRows,
        marked: Sequence[int],
        logits: Any,
        green_mass: npt.NDArray[np.float64] | None,
    ) -> list[float]:
        """Strength weights of the marked rows; logits and mass are theirs."""
        text: Sequence[str] = ()
        pos_contexts: Sequence[Context] = ()
        if self._reads_text or self._reads_contexts:
            tails = rows.tails(marked)
            if self._reads_text:
                text = [tail[-SUFFIX_CHARS:] for tail in tails]
            if self._reads_contexts and self._contexts is not None:
                pos_contexts = self._contexts.after(tails)
        logits = logits if self._reads_logits else None
        positions = Positions(len(marked), pos_contexts, logits, green_mass, self._gamma, text)
        weights: list[float] = checked_weights(self._strength, positions).tolist()
        return weights
