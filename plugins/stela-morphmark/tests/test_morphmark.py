import numpy as np
import pytest
from stela_morphmark import FIRMEST, MorphMark, MorphMarkParameters

import stela_core as stela
from stela_core.composition import compose, resolve_scheme
from stela_core.hashers import KeyedHasher
from stela_core.testing import WeightingContract


class TestMorphMark(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return MorphMark(MorphMarkParameters())


def biases(mass: list[float], **parameters: object) -> np.ndarray:
    weighting = MorphMark(MorphMarkParameters.model_validate(parameters))
    return weighting.weights(stela.Positions(len(mass), green_mass=np.array(mass)))


@pytest.mark.parametrize(
    ("form", "share"),
    [
        ("exp", lambda p: np.exp(1.30 * p) - 1),
        ("linear", lambda p: 1.55 * p),
        ("log", lambda p: np.log(2.15 * p + 1)),
    ],
)
def test_bias_moves_the_share_of_the_red_probability(form: str, share) -> None:  # type: ignore[no-untyped-def]
    """Green probability after the bias, P e^b / (P e^b + 1 - P), is P + r (1 - P)."""
    for p in (0.15, 0.2, 0.3, 0.45, 0.5):
        [bias] = biases([p], form=form)
        after = p * np.exp(bias) / (p * np.exp(bias) + 1 - p)
        assert after == pytest.approx(p + min(share(p), 1) * (1 - p))


def test_nothing_below_p0_and_all_above_the_point_where_r_is_1() -> None:
    """exp(1.30 P) - 1 reaches 1 at P = log 2 / 1.30 = 0.533."""
    low, at, firm, certain = biases([0.149, 0.15, 0.54, 1.0])
    assert low == 0
    assert at > 0
    assert firm == pytest.approx(np.log((0.54 + FIRMEST * 0.46) / (0.54 * (1 - FIRMEST))))
    assert np.exp(-firm) < np.finfo(np.float32).eps
    assert np.isfinite(certain)
    assert biases([0.0, 0.3], k=0.0, p0=0.0).tolist() == [0, 0]


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "morphmark")
    assert (parts.strength, parts.evidence.name) == (MorphMark, "uniform")
    assert not parts.needs_model_to_detect
    assert "delta" not in parts.parameters.model_fields
    made = compose(parts, {}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
    assert made.bias_per_weight == 1.0, "its weights are biases"
    assert made.strength.parameters == MorphMarkParameters(form="exp", k=None, p0=0.15)
