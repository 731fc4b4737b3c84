import math

import numpy as np
import pytest
import torch
from stela_kernels.row_entropy import entropies
from stela_sweet import Sweet, SweetParameters
from stela_testing import WeightingContract

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.composition import compose, resolve_scheme


class TestSweet(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return Sweet(SweetParameters())


def test_above_the_threshold() -> None:
    """Two equal tokens have entropy log 2 = 0.693, three log 3 = 1.099; the threshold itself is not above."""
    logits = torch.full((3, 5), -torch.inf)
    for row in range(3):
        logits[row, : row + 1] = 1.0
    positions = stela.Positions(3, logits=logits)
    assert Sweet(SweetParameters()).weights(positions).tolist() == [0, 0, 1]
    assert Sweet(SweetParameters(threshold=0.69)).weights(positions).tolist() == [0, 1, 1]
    assert Sweet(SweetParameters(threshold=math.log(4))).weights(positions).tolist() == [0, 0, 0]


def test_entropies_of_a_peer() -> None:
    """MarkLLM's SWEET counts the first, second and fourth of these rows at its threshold 0.9."""
    logits = torch.tensor(
        [[3.0, 2, 1, 0, -1, -2], [0, 0, 0, 0, 0, 0], [5, -1, -1, 0, -2, 1], [1, 2, 3, -1, 0, 0.5]]
    )
    peer = [1.02326055, 1.79175947, 0.16924322, 1.14779998]
    assert entropies(logits) == pytest.approx(peer, abs=1e-6)
    assert Sweet(SweetParameters()).weights(stela.Positions(4, logits=logits)).tolist() == [1, 1, 0, 1]


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "sweet")
    assert (parts.strength, parts.evidence) == (Sweet, Sweet)
    assert parts.needs_model_to_detect
    assert not parts.needs_contexts
    made = compose(parts, {}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
    assert made.bias_per_weight == 2.0, "delta is the bias where there is one, as in the paper"
    assert made.hasher.gamma == 0.5
    assert np.isclose(made.strength.parameters.threshold, 0.9)  # type: ignore[attr-defined]


def test_threshold_below_0_is_refused(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "sweet")
    with pytest.raises(stela.StelaError, match="threshold"):
        compose(parts, {"threshold": -1.0}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
