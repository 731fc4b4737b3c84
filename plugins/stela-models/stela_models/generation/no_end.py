"""No end before a text has its length."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers import LogitsProcessor


class NoEnd(LogitsProcessor):
    """Rule end tokens out until ids have a length.

    What ``min_new_tokens`` of ``generate`` does in two processors, each with several passes over all logits.

    Args:
        ends: ids that end a text.
        length: of prompt and text together, in tokens; from then on texts may end.
    """

    def __init__(self, ends: Sequence[int], length: int) -> None:
        self._ends = list(ends)
        self._length = length

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """The scores (rows, vocabulary), changed in place: ``generate`` made them for its processors."""
        if input_ids.shape[1] < self._length and self._ends:
            scores[:, self._ends] = -torch.inf
        return scores
