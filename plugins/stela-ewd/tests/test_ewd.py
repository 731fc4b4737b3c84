import numpy as np
import pytest
import torch
from stela_ewd import Ewd, modulus
from stela_testing import WeightingContract

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.composition import compose, resolve_scheme


class TestEwd(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return Ewd(Ewd.Parameters())


def test_modulus() -> None:
    """(1 - gamma)(alpha - 1) / (1 - gamma + gamma alpha): tanh(delta / 2) at gamma 1/2."""
    assert modulus(2.0, 0.5) == pytest.approx(np.tanh(1.0))
    assert modulus(np.log(5), 0.25) == pytest.approx(0.75 * 4 / (0.75 + 0.25 * 5))
    assert modulus(0.0, 0.5) == 0.0


def test_weights_of_known_rows() -> None:
    """A certain token gets 0; n equal ones get 1 / (1 + z / n) - 1 / (1 + z)."""
    logits = torch.full((3, 8), -torch.inf)
    for row, n in enumerate((1, 2, 8)):
        logits[row, :n] = 0.0
    weighting = Ewd(Ewd.Parameters(delta=1.0))  # type: ignore[call-arg]
    z = modulus(1.0, 0.25)
    raw = weighting.weights(stela.Positions(3, logits=logits, gamma=0.25))
    expected = [1 / (1 + z / n) - 1 / (1 + z) for n in (1, 2, 8)]
    assert weighting.over_text(raw) == pytest.approx(expected, abs=1e-6)


def test_spike_entropies_of_a_peer() -> None:
    """MarkLLM's EWD (gamma 0.5, delta 2.0) on four rows of logits, and its weights."""
    logits = torch.tensor(
        [[3.0, 2, 1, 0, -1, -2], [0, 0, 0, 0, 0, 0], [5, -1, -1, 0, -2, 1], [1, 2, 3, -1, 0, 0.5]]
    )
    weighting = Ewd(Ewd.Parameters())
    raw = weighting.weights(stela.Positions(4, logits=logits))
    assert raw == pytest.approx([0.75246027, 0.88736470, 0.58759121, 0.76964623], abs=1e-6)
    assert weighting.over_text(raw) == pytest.approx([0.16486906, 0.29977349, 0, 0.18205502], abs=1e-6)


def test_equal_entropies_stay() -> None:
    weighting = Ewd(Ewd.Parameters())
    assert weighting.over_text(np.full(3, 0.7)).tolist() == [0.7] * 3
    assert weighting.over_text(np.array([0.7, 0.9])) == pytest.approx([0, 0.2])


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "ewd")
    assert (parts.strength.name, parts.evidence) == ("uniform", Ewd)
    assert parts.needs_model_to_detect
    made = compose(parts, {"delta": 1.5}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
    assert made.bias_per_weight == 1.5
    assert made.evidence.parameters.delta == 1.5, "the mark's delta sets the modulus"  # type: ignore[attr-defined]
    assert compose(parts, {}, made.hasher, None, "tokens").bias_per_weight == 2.0
