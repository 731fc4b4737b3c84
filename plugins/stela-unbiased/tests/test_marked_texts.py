"""Texts of the embedded model: marked by ``generate``, found without the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stela_models.generation.generate import Sampling, generate

import stela_core as stela

torch = pytest.importorskip("torch")

PROMPTS = ["The river rises", "A house is", "We went to the market"]
SCHEMES = ["unbiased-delta", "unbiased-gamma", "unbiased-dip"]


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry()


@pytest.fixture(scope="module")
def model(registry: stela.Registry) -> Any:
    return stela.load_model("tiny", registry=registry)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_marked_texts_are_found(scheme: str, registry: stela.Registry, model: Any) -> None:
    mark, other = (stela.create(scheme, model="tiny", key=f"{key:016x}", registry=registry) for key in (5, 6))
    [texts] = list(generate(mark, model, PROMPTS, Sampling(120, 120, temperature=1.0), 8))
    for text in texts:
        [evidence] = mark.detector.evidence([text.token_ids])
        marked = [place for place, weight in enumerate(text.weights) if weight is not None]
        assert evidence.positions.tolist() == marked
        assert marked[0] == 5
        assert len(np.unique(evidence.groups)) == len(marked)
        [own] = mark.detector.detect_ids([text.token_ids])
        assert (own.verdict, own.p_value < 1e-6) == ("watermarked", True)
        assert other.detector.detect_ids([text.token_ids])[0].p_value > 1e-3
