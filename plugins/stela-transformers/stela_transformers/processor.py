"""The watermark as a transformers ``LogitsProcessor``: a marker that knows where the prompt ends."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import currentframe
from threading import Lock, local
from typing import Any

import torch
from stela_kernels.draws import drawn
from stela_kernels.row_seeds import Seeds, drawing_by
from stela_serving.answers import Delimiters
from transformers import GenerationConfig, LogitsProcessor

from stela_core import Marker, StelaError
from stela_core.api import NotPickled, Step, TextState
from stela_transformers.batch_texts import READ, BatchTexts
from stela_transformers.early_ids import EarlyIds
from stela_transformers.final_logits import final_logits, require_sampling
from stela_transformers.generate_call import Caller, caller_of, require_known_rows
from stela_transformers.one_mark import require_one_mark
from stela_transformers.record import WeightRecord


class WatermarkLogitsProcessor(NotPickled, LogitsProcessor):
    """Drop into ``model.generate(..., logits_processor=[...])``: any batch, left padding, beams, assistants.

    The width of ``input_ids`` at the first step is the prompt's: what comes after it is the text. Each call
    of ``generate`` begins new texts, also where it goes on from the last one's, and so does each thread.
    Outside of ``generate`` a processor is for one text, until :meth:`reset`: other ids are refused.

    A mark that chooses tokens applies the call's temperature, top-k and top-p itself, draws, and leaves one
    token of a row; outside of ``generate`` it takes the scores as the final ones. Draws follow torch's seed,
    and are the same whether tokens are drafted or not (:meth:`.BatchTexts.seeds`).

    A copy, deep or not, is another processor of the same mark that has seen no text; pickle is refused.

    Args:
        marker: marks a step.
        record: keep the weights applied, for :attr:`weights`.
        final: the scores have temperature, top-k and top-p in them already, as those that a
            ``watermarking_config`` gets.
        drawing: temperature and the like of a processor behind this one that draws, so that ``generate``
            itself is to draw nothing; of marks that choose tokens, it then gets final logits of all rows.
    """

    def __init__(
        self,
        marker: Marker,
        record: bool = False,
        final: bool = False,
        drawing: GenerationConfig | None = None,
    ) -> None:
        self._marker = marker
        self._final = final
        self._drawing = drawing
        self._delimiters: Delimiters | None = None
        self._recording = record
        self._here = local()
        self._lock = Lock()
        self._latest: BatchTexts | None = None
        self._crossed = False
        """Whether two threads generated at the same time."""
        self.early_ids = EarlyIds(READ)
        """A criterion for ``generate(..., stopping_criteria=[processor.early_ids])`` on a GPU. It stops
        nothing, and lets the host's work go on during the model's pass (sampling and greedy search)."""

    def __copy__(self) -> WatermarkLogitsProcessor:
        other = WatermarkLogitsProcessor(self._marker, self._recording, self._final, self._drawing)
        other._delimiters = self._delimiters
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> WatermarkLogitsProcessor:
        return self.__copy__()

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """New scores (rows, width) from ids so far (rows, length); ``scores`` is left as it was.

        Raises:
            StelaError: the ids are not those of a next step, the mark chooses tokens and the call of
                ``generate`` draws none, another processor of the call marks under the same key, or
                transformers' continuous batching calls.
        """
        # No local name for a frame of this method: it would keep itself, and the call, alive.
        caller = caller_of(currentframe().f_back)  # type: ignore[union-attr]
        if caller.call is None:
            require_known_rows()
        if caller.asks_what_is_forbidden:
            return scores
        texts = self._texts(input_ids, caller)
        if not texts.marked_once and caller.processors is not None:
            require_one_mark(caller.processors, WatermarkLogitsProcessor)
            texts.marked_once = True
        rows = texts.follow(input_ids, caller.hands_rows, self.early_ids.of(input_ids))
        own = [number for number, row in enumerate(rows) if row.is_marked]
        states = [rows[number].text for number in own]
        drawing = self._marker.samples and self._drawing is None and texts.call is not None
        seeds = texts.seeds(own, not caller.knows_loop) if drawing and own else None
        if len(own) == len(rows):
            marked, weights = self._marked(texts.call, input_ids, states, scores, seeds)
            texts.keep(weights)
            return marked
        marked, every = scores.clone(), list[float | None]([None] * len(rows))
        if own:
            marked[own], weights = self._marked(texts.call, input_ids[own], states, scores[own], seeds)
            for number, weight in zip(own, weights, strict=True):
                every[number] = weight
        texts.keep(every)
        return marked

    def mark_answers(self, tokenizer: Any, after: str | None = None) -> WatermarkLogitsProcessor:
        """Mark only answers: what follows the model's thoughts, without calls of tools.

        The contexts of an answer are its own, so that it is found from its beginning wherever it was cut out.

        Args:
            tokenizer: the model's; delimiters are looked for in the text of its tokens.
            after: the delimiter that the answer follows, such as ``</think>``. By default those of published
                chat templates count, and a text that begins without thoughts is an answer.

        Returns:
            this processor.
        """
        self._delimiters = Delimiters(tokenizer, after)
        return self

    def _marked(
        self,
        call: GenerationConfig | None,
        input_ids: torch.Tensor,
        rows: list[TextState],
        scores: torch.Tensor,
        seeds: Seeds | None,
    ) -> tuple[torch.Tensor, Sequence[float | None]]:
        """New scores of rows, and the weight of each."""
        step = self._marker.step(rows, scores)
        if self._marker.samples:
            return self._chosen(call, input_ids, rows, step, scores, seeds), step.weights
        return self._marker.finish(rows, step, scores), step.weights

    def _chosen(
        self,
        call: GenerationConfig | None,
        input_ids: torch.Tensor,
        rows: list[TextState],
        step: Step,
        scores: torch.Tensor,
        seeds: Seeds | None,
    ) -> torch.Tensor:
        """The scores with one token left in each row; those of the marked distribution without seeds."""
        if self._drawing is not None:
            require_sampling(self._drawing)
            return self._marker.finish(rows, step, final_logits(input_ids, scores, self._drawing))
        if call is None or seeds is None:
            return self._marker.finish(rows, step, scores)
        require_sampling(call)
        final = scores if self._final else final_logits(input_ids, scores, call)
        with drawing_by(seeds):
            return drawn(self._marker.finish(rows, step, final), seeds)

    @property
    def keys(self) -> frozenset[int]:
        """The keys that rows are marked under (:attr:`.Marker.keys`)."""
        return self._marker.keys

    @property
    def gave_way(self) -> int:
        """Steps at which ``round_trip`` gave way (:attr:`.Marker.gave_way`)."""
        return self._marker.gave_way

    def reset(self) -> None:
        """Forget the prompts: this thread's next call begins a new text."""
        self._here.texts = None
        with self._lock:
            self._latest = None
            self._crossed = False

    @property
    def weights(self) -> list[list[float | None]]:
        """Weights applied, one list per row of the last step, one entry per token.

        Those of this thread's last call of ``generate``, or else of the last one in any thread. ``None``
        where a token was not marked, as one beyond the profile's vocabulary. A row that ended has entries for
        its padding too.

        Raises:
            RuntimeError: the processor was made without ``record=True``.
            StelaError: other threads generated at the same time, and this one did not.
        """
        return self._recorded().of_rows()

    def weights_of(self, ids: list[int], row: int = 0) -> list[float | None]:
        """Weights applied to the tokens of one generated text (prompt left out), also of a beam.

        Args:
            ids: the text.
            row: a row of the batch that had its prompt (with beams, ``text number * num_beams``).

        Raises:
            RuntimeError: the processor was made without ``record=True``, or has not run.
            StelaError: as for :attr:`weights`.
            KeyError: the text was not generated by this processor after that prompt.
        """
        return self._recorded().of(ids, row)

    def _recorded(self) -> WeightRecord:
        texts: BatchTexts | None = getattr(self._here, "texts", None) if self._recording else None
        if texts is None and self._recording:
            if self._crossed:
                raise StelaError(
                    "several threads generated with this processor at the same time.",
                    "ask for the weights in the thread that generated, or make a processor for each call",
                )
            texts = self._latest
        if texts is None or texts.record is None:
            raise RuntimeError("weights are kept by logits_processor(..., record=True), once it has run")
        return texts.record

    def _texts(self, input_ids: torch.Tensor, caller: Caller) -> BatchTexts:
        """The texts of this step: new ones at the first step of a call of ``generate``."""
        texts: BatchTexts | None = getattr(self._here, "texts", None)
        if texts is None or not texts.belong_to(caller.call):
            before = texts
            texts = BatchTexts(input_ids, caller, self._marker, self._recording, self._delimiters)
            self._here.texts = texts
            with self._lock:
                other = self._latest is not None and self._latest is not before
                self._crossed |= other and self._latest is not None and self._latest.running
                self._latest = texts
        return texts
