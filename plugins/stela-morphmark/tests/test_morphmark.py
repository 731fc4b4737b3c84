import numpy as np
import pytest
from stela_morphmark import FIRMEST, MorphMark, MorphMarkParameters
from stela_testing import WeightingContract

import stela_core as stela
from stela_core.api import KeyedHasher
from stela_core.composition import compose, resolve_scheme


class TestMorphMark(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return MorphMark(MorphMarkParameters())


def biases(mass: list[float], **parameters: object) -> np.ndarray:
    weighting = MorphMark(MorphMarkParameters.model_validate(parameters))
    return weighting.weights(stela.Positions(len(mass), green_mass=np.array(mass)))


@pytest.mark.parametrize(
    ("form", "k", "share"),
    [
        ("exp", 1.30, lambda p: np.exp(1.30 * p) - 1),
        ("linear", 1.55, lambda p: 1.55 * p),
        ("log", 2.15, lambda p: np.log(2.15 * p + 1)),
    ],
)
def test_bias_moves_the_share_of_the_red_probability(form: str, k: float, share) -> None:  # type: ignore[no-untyped-def]
    """Green probability after the bias, P e^b / (P e^b + 1 - P), is P + r (1 - P)."""
    for p in (0.15, 0.2, 0.3, 0.45, 0.5):
        [bias] = biases([p], form=form, k=k)
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


@pytest.mark.parametrize(
    ("logits", "green", "expected"),
    [
        ((3, 2, 1, 0, -1, -2), (1, 3, 4), (0.359855, 0.497011, 0.048701, 0.067263, 0.024745, 0.002425)),
        ((0, 0, 0, 0, 0, 0), (0, 1), (0.347463, 0.347463, 0.076268, 0.076268, 0.076268, 0.076268)),
        ((5, -1, -1, 0, -2, 1), (1, 2, 3), (0.970005, 0.002404, 0.002404, 0.006536, 0.000885, 0.017766)),
        ((1, 2, 3, -1, 0, 0.5), (1, 2, 5), (0, 0.253716, 0.689672, 0, 0, 0.056612)),
    ],
)
def test_probabilities_of_a_peer(
    logits: tuple[float, ...], green: tuple[int, ...], expected: tuple[float, ...]
) -> None:
    """MarkLLM's MorphMark (type exp, k_exp 1.30, p_0 0.15) on one row: green mass .276, .333, .011, .877."""
    p = np.exp(logits) / np.exp(logits).sum()
    mask = np.isin(np.arange(6), green)
    [bias] = biases([float(p[mask].sum())])
    after = p * np.exp(bias * mask)
    assert after / after.sum() == pytest.approx(expected, abs=1e-6)


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "morphmark")
    assert (parts.strength, parts.evidence.name) == (MorphMark, "uniform")
    assert not parts.needs_model_to_detect
    assert "delta" not in parts.parameters.model_fields
    made = compose(parts, {}, KeyedHasher(KeyedHasher.Parameters(), 1), None, "tokens")
    assert made.bias_per_weight == 1.0, "its weights are biases"
    assert made.strength.parameters == MorphMarkParameters(form="exp", k=1.30, p0=0.15)
