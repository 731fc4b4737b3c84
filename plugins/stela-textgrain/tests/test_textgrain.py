"""The mark against its definition: Li et al., "textGrain" (OpenAI technical report, 2026)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import entropy, gamma, gumbel_r
from stela_testing import SamplingHasherContract
from stela_textgrain import fused, numbers
from stela_textgrain.hasher import TextGrainHasher, TextGrainParameters

import stela_core as stela

KEY = 0x0123456789ABCDEF


@pytest.mark.deep(
    stand_in="test_columns_average_to_the_models_distribution",
    only=["test_the_marked_distribution_is_the_models_on_average"],
)
class TestDefault(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return TextGrainHasher(TextGrainParameters(), KEY)


@pytest.mark.deep(
    stand_in="test_columns_average_to_the_models_distribution",
    only=["test_the_marked_distribution_is_the_models_on_average"],
)
class TestCoarse(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return TextGrainHasher(TextGrainParameters(context_width=1, blocks=3, columns=4, budget=0.4), KEY)


def random_rows(count: int, ids: int = 400) -> npt.NDArray[np.float32]:
    rng = np.random.default_rng(0)
    return (rng.normal(size=(count, ids)) * rng.uniform(0.2, 5, (count, 1))).astype(np.float32)


def marked_under_each_column(
    hasher: TextGrainHasher, scores: npt.NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> npt.NDArray[np.float64]:
    """Marked distributions, (columns, rows, ids), were each column the drawn one."""
    seeds = hasher.seeds(np.arange(4 * len(scores)).reshape(-1, 4))
    marked = []
    for column in range(hasher.parameters.columns):
        own = np.full(len(scores), column)
        monkeypatch.setattr(numbers, "columns", lambda seeds, count, own=own: own)
        logits = hasher.mark_array(scores, seeds, scores.shape[1]).astype(np.float64)
        marked.append(softmax(logits))
    return np.stack(marked)


def softmax(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("grain", [{}, {"blocks": 3, "columns": 4}])
@pytest.mark.parametrize("budget", [0.05, 0.2, 0.4, 0.6, 1.0])
def test_columns_average_to_the_models_distribution(
    budget: float, grain: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only over keys: the mean over the columns of one table is the model's distribution."""
    hasher = TextGrainHasher(TextGrainParameters(budget=budget, **grain), KEY)
    scores = random_rows(20)
    marked = marked_under_each_column(hasher, scores, monkeypatch)
    assert np.abs(marked.mean(axis=0) - softmax(scores.astype(np.float64))).max() < 1e-6


@pytest.mark.parametrize("budget", [0.05, 0.2, 0.6])
def test_no_more_entropy_is_taken_than_the_budget(budget: float, monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = TextGrainHasher(TextGrainParameters(budget=budget), KEY)
    scores = random_rows(20)
    before = entropy(softmax(scores.astype(np.float64)), axis=1)
    after = entropy(marked_under_each_column(hasher, scores, monkeypatch), axis=2).mean(axis=0)
    lost = 1 - after / before
    assert (lost < budget + 1e-6).all()
    # Where blocks and columns have as much to give, nearly all of the budget is used.
    enough = budget * before < 0.5
    assert enough.any() or budget > 0.5
    assert (lost[enough] > 0.9 * budget).all()


def test_within_a_block_the_models_odds_stay() -> None:
    hasher = TextGrainHasher(TextGrainParameters(blocks=5), KEY)
    scores = random_rows(6)
    seeds = hasher.seeds(np.arange(24).reshape(-1, 4))
    lift = hasher.mark_array(scores, seeds, scores.shape[1]) - scores
    own = numbers.blocks(seeds[:, None], np.arange(scores.shape[1]), 5)
    for row in range(6):
        for block in range(5):
            assert np.ptp(lift[row, own[row] == block]) < 1e-4


def test_signals_are_those_of_the_report() -> None:
    """``-log(1 - F_G(Z))`` of the Gumbel number Z of the token's block in the drawn column."""
    hasher = TextGrainHasher(TextGrainParameters(), KEY)
    seeds = hasher.seeds(np.random.default_rng(1).integers(0, 900, (300, 4)))
    tokens = np.random.default_rng(2).integers(0, 900, 300)
    blocks, columns = numbers.blocks(seeds, tokens, 16), numbers.columns(seeds, 16)
    z = numbers.tables(seeds, 16, 16)[np.arange(300), blocks, columns] * numbers.STANDARD + np.euler_gamma
    assert np.allclose(hasher.draws(seeds, tokens)[:, 0], -gumbel_r.logsf(z), rtol=1e-6, atol=1e-9)


def test_compiled_and_plain_passes_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    probs = softmax(random_rows(5).astype(np.float64))
    seeds = np.random.default_rng(0).integers(0, 2**63, 5).astype(np.uint64)
    lifts = np.random.default_rng(0).normal(size=(5, 7))
    blocks, masses = fused.masses(probs, seeds, 7)
    spread = fused.spread(lifts, blocks)
    monkeypatch.setattr(fused, "compiled", lambda: None)
    own, plain = fused.masses(probs, seeds, 7)
    assert (blocks == own).all()
    assert np.allclose(masses, plain, rtol=1e-12)
    assert (fused.spread(lifts, own) == spread).all()


def test_a_row_of_which_nothing_may_come_stays() -> None:
    hasher = TextGrainHasher(TextGrainParameters(), KEY)
    scores = np.full((2, 30), -np.inf, dtype=np.float32)
    scores[1, 4] = 0
    out = hasher.mark_array(scores, hasher.seeds(np.arange(8).reshape(-1, 4)), 30)
    assert (out[0] == -np.inf).all()
    assert np.flatnonzero(np.isfinite(out[1])).tolist() == [4]


def test_repeated_contexts_count_once(registry: stela.Registry) -> None:
    """A text that says the same over and over has as many draws as it has contexts."""
    mark = stela.create("textgrain", model="tiny", key=1, registry=registry)
    phrase = np.random.default_rng(0).integers(300, 8000, 9).tolist()
    [once] = mark.detect_ids([phrase * 2])
    [often] = mark.detect_ids([phrase * 8])
    assert often.p_value == once.p_value


def test_p_is_the_tail_of_a_gamma(registry: stela.Registry) -> None:
    """Over keys, a text's p-values are those of SciPy's Gamma(n, 1) and uniform."""
    mark = stela.create("textgrain", model="tiny", key=1, registry=registry)
    ids = np.random.default_rng(0).integers(300, 8000, 80).tolist()
    evidence, source, p_values = mark.detector.evidence([ids])[0], Random(0), []
    for _ in range(400):
        hasher = mark.parts.hasher.under(source.getrandbits(64))
        own = mark.detector.with_composition(replace(mark.parts, hasher=hasher))
        p_values.append(own.judge(own.recoloured(evidence)).p_value)
        contexts = hasher.contexts(np.array(ids), np.arange(4, 80))
        total = hasher.draws(hasher.seeds(contexts), np.array(ids[4:])).sum()
        assert p_values[-1] == pytest.approx(gamma.sf(total, 76), rel=1e-9)
    for alpha in (0.5, 0.2, 0.1, 0.05):
        share, spread = np.mean(np.array(p_values) <= alpha), (alpha * (1 - alpha) / 400) ** 0.5
        assert abs(share - alpha) < 4 * spread


@pytest.mark.parametrize(("name", "value"), [("budget", 1.5), ("blocks", 1), ("columns", 1000)])
def test_wrong_parameters_are_refused_in_one_line(name: str, value: float, registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError) as refused:
        stela.create("textgrain", model="tiny", key=1, parameters={name: value}, registry=registry)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)
