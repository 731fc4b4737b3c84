"""The watermark as a transformers ``LogitsProcessor``."""

from __future__ import annotations

import torch
from transformers import LogitsProcessor

from stela_core.generation.insertion import Insertion
from stela_core.interfaces import Hasher


class WatermarkLogitsProcessor(LogitsProcessor):
    """Drop into ``model.generate(..., logits_processor=[...])``: any batch, left padding, beams.

    The width of ``input_ids`` at the first call is the prompt's: what comes after it is the text.
    A call with other prompts, or with no more tokens than the prompts, begins a new text.

    Args:
        insertion: computes seeds and weights.
        hasher: adds the bias.
        vocab_size: ids at or above it (the padding of the logits) are left alone.
        record: keep the weights applied, for :attr:`weights`.
    """

    def __init__(self, insertion: Insertion, hasher: Hasher, vocab_size: int, record: bool = False) -> None:
        self._insertion = insertion
        self._hasher = hasher
        self._vocab_size = vocab_size
        self._prompt: torch.Tensor | None = None
        self._seen = 0
        self._record: dict[tuple[int, ...], float | None] | None = {} if record else None
        self._rows: list[list[int]] = []

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """New scores (rows, width) from ids so far (rows, length); ``scores`` is left as it was."""
        start = self._start(input_ids)
        generated = input_ids[:, start:].cpu().numpy()
        step = self._insertion.step(generated, scores)
        if self._record is not None:
            self._rows = generated.tolist()
            weights = step.weights if step else [None] * len(self._rows)
            self._record.update(zip(map(tuple, self._rows), weights, strict=True))
        if step is None:
            return scores
        width = min(self._vocab_size, scores.shape[-1])
        return self._hasher.add_bias(scores, step.seeds, step.biases, width)

    def reset(self) -> None:
        """Forget the prompts: the next call begins a new text."""
        self._prompt = None
        if self._record is not None:
            self._record = {}

    @property
    def weights(self) -> list[list[float | None]]:
        """Weights applied, one list per row of the last step, one entry per token.

        ``None`` where a token was not marked. A row that ended has entries for its padding too.

        Raises:
            RuntimeError: the processor was made without ``record=True``.
        """
        return [self.weights_of([*row, -1]) for row in self._rows]

    def weights_of(self, ids: list[int]) -> list[float | None]:
        """Weights applied to the tokens of one generated text (prompt left out), also of a beam.

        Raises:
            RuntimeError: the processor was made without ``record=True``.
        """
        if self._record is None:
            raise RuntimeError("the weights are kept only with logits_processor(..., record=True)")
        return [self._record[tuple(ids[:length])] for length in range(len(ids))]

    def _start(self, input_ids: torch.Tensor) -> int:
        """Length of the prompts; recognises a new call of ``generate``.

        Assisted decoding steps back and forth, but never more than one token past what was seen.
        """
        rows, length = input_ids.shape
        prompt = self._prompt
        if (
            prompt is None
            or rows != prompt.shape[0]
            or not prompt.shape[1] < length <= self._seen + 1
            or not torch.equal(input_ids[:, : prompt.shape[1]], prompt)
        ):
            self.reset()
            self._prompt = prompt = input_ids.clone()
            self._seen = length
        self._seen = max(self._seen, length)
        return prompt.shape[1]
