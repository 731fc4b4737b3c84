"""``learned-likelihood``: weights of tokens by public features, and the p-values that rest on them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from stela_kernels.philox.exponential import exponential_tail
from stela_learned.likelihood import NATS, SHIPPED, LearnedLikelihood, repetitions, token_surprisals
from stela_tables.file import parse_any_table
from stela_tables.values import Learned, ValueTable
from stela_testing import EvidenceContract, WeightingContract, run_cli

import stela_core as stela
from tests.marked import golden

CUT = ("the cat, the cat sat", [0, 3, 7, 8, 12, 16, 20])
"""Text and tokens: the| cat|,| the| cat| sat."""


def weighting(language: str = "en") -> LearnedLikelihood:
    table = parse_any_table(SHIPPED.read("surprisal", language, "it"), "it")
    assert isinstance(table, ValueTable)
    return LearnedLikelihood(stela.Parameters(), table)


def weights_of(text: str, ends: list[int], language: str = "en") -> list[float]:
    count = len(ends) - 1
    positions = stela.Positions(count, cut=(text, ends, range(count)))
    return weighting(language).weights(positions).tolist()


class TestLearnedLikelihood(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return weighting("ko")


@pytest.mark.deep(keep=["gumbel"])
@pytest.mark.parametrize("scheme", ["gumbel", "synthid", "kgw"], scope="class")
class TestEvidence(EvidenceContract):
    draws = 150

    @pytest.fixture(scope="class")
    @classmethod
    def watermark(cls, registry: stela.Registry, scheme: str) -> stela.Watermark:
        name = f"{scheme}+learned-likelihood"
        return stela.create(name, model="tiny", key="public", language="en", registry=registry)


def test_golden_weights() -> None:
    """Of the shipped English table and coefficients."""
    assert weights_of(*CUT) == [0.562, 0.658, 0.59, 0.421, 0.467, 0.725]


def test_surprisals_are_sums_over_characters() -> None:
    values = {"": 1000, "a": 100, "b": 200, "ab": 50, "bab": 10}
    learned = Learned("", ("by hand",), 1, 1, "")
    table = ValueTable("surprisal", "characters", 3, values, 100, learned, "en")
    # a; b after a; a after b; b after "ba" is known longer than after "a"; c was never seen.
    each = [100, 50, 100, 10, 1000]
    assert token_surprisals("ababc", [0, 5], table) == pytest.approx(sum(each) / 1000 * NATS)
    by_token = token_surprisals("ababc", [0, 1, 1, 3, 5], table)
    assert by_token == pytest.approx([0.1 * NATS, 0, 0.15 * NATS, 1.01 * NATS])


def test_repetitions_are_known_by_the_tokens_before() -> None:
    """The second "cat" follows one token after which it stood; "sat" follows two after which others did."""
    seen = repetitions(*CUT).tolist()
    assert seen == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1], [-1, 0, 0]]
    text = "ababab"
    assert repetitions(text, list(range(7)))[:, 0].tolist() == [0, 0, 0, 1, 2, 3]
    shares = repetitions("abacab", list(range(7)))[:, 1].tolist()
    assert shares == [0, 0, 0, 0, 0, 0.5]


def test_a_token_that_was_to_be_expected_weighs_less() -> None:
    text = "The city of London. The city of London."
    ends = [0, 3, 8, 11, 18, 19, 23, 28, 31, 38, 39]
    weights = weights_of(text, ends)
    assert all(later < first for first, later in zip(weights[1:4], weights[6:9], strict=True))


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of the golden Gumbel text's mark, weighed by this weighting."""
    path = tmp_path_factory.mktemp("likelihood") / "p.stela"
    new = list(golden("gumbel").new)
    new[new.index("--scheme") + 1] = "gumbel+learned-likelihood"
    return golden("gumbel")._replace(new=[*new, "--language", "en"]).write_profile(path)


def test_a_profile_finds_more_than_uniform_weights_do(profile: Path, tmp_path: Path) -> None:
    """The CLI detects with it, and without a model; the p-value is the tail of what is shown."""
    watermark = stela.load(profile)
    plain = golden("gumbel").texts[0]["detection"]["p_value"]
    detection = watermark.detect(golden("gumbel").text())
    evidence = detection.evidence
    assert detection.p_value == pytest.approx(exponential_tail(evidence.signal, evidence.weights), rel=1e-9)
    assert detection.p_value < plain * 0.1
    text = tmp_path / "text.txt"
    text.write_text(golden("gumbel").text(), encoding="utf-8")
    said = run_cli("detect", "--profile", profile, text)
    assert said.status == 0
    assert "watermarked" in said.out


def human_weights(profile: Path) -> npt.NDArray[np.float64]:
    text = "The council met on Monday to discuss the new bridge. The bridge, the mayor said, is old. " * 2
    detection = stela.load(profile).detect(text + "Nobody knows what the council will do about the money.")
    return detection.evidence.weights


def test_p_values_are_exact_at_1e_8(profile: Path) -> None:
    """The tail of unmarked signals by these weights, against importance sampling: exponentials tilted."""
    weights = human_weights(profile)
    tilt = 0.7 / weights.max()
    means = 1 / (1 - tilt * weights)
    draws = np.random.default_rng(8).exponential(size=(20_000, len(weights))) * means
    sums = draws @ weights
    at = float(np.quantile(sums, 0.5))
    log_ratio = np.log(means).sum() - tilt * sums
    estimate = float(np.mean((sums >= at) * np.exp(log_ratio)))
    signals = np.full(len(weights), at / weights.sum())
    exact = exponential_tail(signals, weights)
    assert 1e-11 < exact < 1e-7
    assert exact == pytest.approx(estimate, rel=0.05)


@pytest.mark.deep(stand_in="plugins/stela-learned/tests/test_likelihood.py::test_p_values_are_exact_at_1e_8")
def test_false_alarms_at_1e_4(profile: Path) -> None:
    """P(p <= a) <= a for a human text under random keys, down to 1e-4: 100,000 draws."""
    weights = human_weights(profile)
    draws = np.random.default_rng(4).exponential(size=(100_000, len(weights)))
    p_values = np.array([exponential_tail(row, weights) for row in draws])
    for level in (0.5, 0.1, 0.01, 1e-3, 1e-4):
        share = (p_values <= level).mean()
        assert share <= level + 4 * math.sqrt(level / len(draws))
        assert share >= 0.8 * level - 4 * math.sqrt(level / len(draws))


def test_missing_and_wrong_tables_are_told() -> None:
    with pytest.raises(stela.StelaError, match='no table for language "fr"') as caught:
        LearnedLikelihood.own_table("fr", None, None)
    assert "en, ko, zh" in caught.value.hint
    counts = Learned("", ("by hand",), 1, 1, "")
    with pytest.raises(stela.StelaError, match="reads surprisals by characters"):
        LearnedLikelihood.check_table(ValueTable("expected-gain", "characters", 1, {"": 1}, 1, counts, "en"))


def test_it_does_not_mark(registry: stela.Registry) -> None:
    """The token is not chosen yet when a strength is asked for."""
    with pytest.raises(stela.StelaError, match="looks at the token itself"):
        stela.create("learned-likelihood", "tiny-small", key=7, language="en", registry=registry)
