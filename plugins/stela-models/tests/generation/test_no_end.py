"""Ends are ruled out as transformers does."""

from __future__ import annotations

import pytest
import torch
from stela_models.generation.no_end import NoEnd
from transformers import MinNewTokensLengthLogitsProcessor


@pytest.mark.parametrize("length", [3, 6, 7, 8])
@pytest.mark.parametrize("ends", [[1], [0, 4]])
def test_as_transformers_does(length: int, ends: list[int]) -> None:
    ids = torch.zeros(2, length, dtype=torch.long)
    scores = torch.randn(2, 9, generator=torch.Generator().manual_seed(0))
    theirs = MinNewTokensLengthLogitsProcessor(3, 4, ends)(ids, scores.clone())
    assert torch.equal(NoEnd(ends, 7)(ids, scores.clone()), theirs)
    assert bool(torch.isinf(theirs).any()) == (length < 7)
