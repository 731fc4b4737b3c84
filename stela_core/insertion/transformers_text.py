"""Where the prompt ends in what transformers hands a processor: the texts of one call of ``generate``."""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

import numpy as np
import numpy.typing as npt
import torch
from transformers import GenerationConfig

from stela_core.errors import StelaError
from stela_core.insertion.record import WeightRecord

Ids = npt.NDArray[np.int64]
"""(rows, length)."""


class Texts:
    """The texts that one thread generates together, from their prompts on.

    Within a call of ``generate``, whatever begins with one of the prompts is a step of these texts: beams
    change places, assisted decoding steps back. In a loop of one's own each row has to go on from a row of
    the last step, for there a step back and another prompt may be the same ids.

    Args:
        prompts: token ids (rows, length).
        call: the running call of ``generate``; ``None`` in a loop of one's own.
        record: keep the weights.
    """

    def __init__(self, prompts: torch.Tensor, call: GenerationConfig | None, record: bool) -> None:
        self._prompts: Ids = prompts.cpu().numpy().copy()
        self._call: Callable[[], GenerationConfig | None] | None = None if call is None else ref(call)
        self._last = self._prompts
        self.record = WeightRecord(prompts.tolist()) if record else None

    @property
    def call(self) -> GenerationConfig | None:
        """Their call of ``generate``; ``None`` in a loop of one's own."""
        return None if self._call is None else self._call()

    @property
    def running(self) -> bool:
        """Whether their call of ``generate`` still runs."""
        return self.call is not None

    def belong_to(self, call: GenerationConfig | None) -> bool:
        """Whether they are those of this call; in a loop of one's own there are no others."""
        return self._call is None if call is None else self._call is not None and self._call() is call

    def generated(self, input_ids: torch.Tensor) -> Ids:
        """The ids generated so far of each row, its prompt left out: (rows, tokens).

        Raises:
            StelaError: they are other texts, or cannot be told from them.
        """
        ids: Ids = input_ids.cpu().numpy()
        width = self._prompts.shape[1]
        if self._call is None:
            self._require_next(ids)
            self._last = ids.copy()
        if self._call is not None or self.record is not None:
            self._follow_rows(ids[:, :width])
        return ids[:, width:]

    def _follow_rows(self, prompts: Ids) -> None:
        """Rows may have changed places or ended; within a call of ``generate`` no other prompts come in."""
        if np.array_equal(prompts, self._prompts):
            return
        if self._call is not None and not _rows(prompts) <= _rows(self._prompts):
            raise StelaError(
                "the watermark was handed other prompts within one call of generate (an assistant with a "
                "tokenizer of its own, or a model that generates in parts).",
                "generate without it, or make a loop with wm.marker()",
            )
        if self.record is not None:
            self.record.change_rows(prompts.tolist())

    def _require_next(self, ids: Ids) -> None:
        last, before = self._last, ids[:, :-1]
        if np.array_equal(before, last):
            return
        if np.array_equal(ids, last):
            return  # the same step once more
        if before.shape[1] == last.shape[1] and _rows(before) <= _rows(last):
            return  # rows that changed places, or ended
        raise StelaError(
            "the watermark was handed ids that do not go on from those of the last step: another prompt, or "
            "a step back.",
            "make a processor for each text (wm.logits_processor() is cheap), call its reset(), or use "
            "wm.marker(), which takes the generated ids alone",
        )


def _rows(ids: Ids) -> set[tuple[int, ...]]:
    return set(map(tuple, ids.tolist()))
