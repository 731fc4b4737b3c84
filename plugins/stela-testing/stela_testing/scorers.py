"""What every scorer is held to: P(p <= a) <= a over random colours, and over random keys (invariant 5)."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from stela_kernels.philox.exponential import Exponential

from stela_core import Bernoulli, Hasher, Law, Scorer, Signals, StelaError

ROUNDING = 1 + 1e-9
"""How far apart sums of probabilities in another order may lie, as a factor."""

LEVELS = (0.5, 0.1, 0.01)
SPREAD = 5.0
"""Standard deviations that a share of draws may lie above its level."""

Weights = npt.NDArray[np.float64]
Groups = npt.NDArray[np.int64]
Green = npt.NDArray[np.bool_]


class Text(NamedTuple):
    """Weights and groups, (n,), of a text that is small enough to go through all its colourings."""

    weights: tuple[float, ...]
    groups: tuple[int, ...]


SMALL = {
    "equal weights": Text((1,) * 7, (0, 1, 2, 3, 4, 5, 6)),
    "repeated pairs": Text((1,) * 12, (0, 1, 1, 1, 2, 3, 3, 0, 4, 5, 5, 5)),
    "0 and 1, repeated": Text((0, 1, 1, 0, 0, 1, 1, 0, 1), (0, 1, 2, 3, 3, 4, 1, 5, 6)),
    "entropies less their least": Text(
        (0.0, 3.1e-7, 0.0214, 0.2671, 0.2672, 0.3198, 0.4415), (3, 0, 1, 2, 4, 5, 6)
    ),
    "freedom, some 0": Text((0.0, 0.6182, 0.4413, 0.0, 0.7719, 0.6182, 0.9021), (0, 1, 2, 3, 4, 1, 5)),
    "one far above the rest": Text((1e6, 1, 1, 1, 1, 1), (0, 1, 2, 3, 4, 5)),
    "ties within rounding": Text((0.1, 0.1, 0.1, 0.30000000000000004, 0.3, 0.2), (0, 1, 2, 3, 4, 5)),
    "smallest and largest floats": Text((5e-324, 1e-300, 1.0, 1e300, 9e299, 1e300), (0, 1, 2, 3, 4, 5)),
    "one token": Text((0.37,), (0,)),
}


class ScorerContract:
    """Subclass in your tests, with a fixture ``scorer``, and ``mark`` where ``score_text`` is the test."""

    @pytest.fixture(scope="class")
    @classmethod
    def scorer(cls) -> Scorer[Any]:
        """The scorer under test."""
        raise NotImplementedError("override the fixture scorer")

    @pytest.fixture(scope="class")
    @classmethod
    def mark(cls) -> Hasher[Any] | None:
        """A mark with any key for a scorer that looks at ids itself; by default there is none."""
        return None

    @pytest.mark.parametrize("gamma", [0.25, 0.5])
    @pytest.mark.parametrize("name", SMALL)
    def test_every_colouring_of_a_small_text(self, scorer: Scorer[Any], name: str, gamma: float) -> None:
        """P(p <= a) <= a for each a that p takes; no red pair turned green raises p."""
        weights, groups = arrays(SMALL[name])
        pairs = int(groups.max()) + 1
        p_of: dict[tuple[int, ...], float] = {}
        chances: dict[tuple[int, ...], float] = {}
        for coins in product((0, 1), repeat=pairs):
            green = np.array(coins, dtype=np.bool_)[groups]
            score = scorer.score(green, weights, groups, gamma)
            assert np.isfinite([score.z, score.z_plain]).all()
            assert 0 < score.p_value <= 1
            p_of[coins] = score.p_value
            chances[coins] = gamma ** sum(coins) * (1 - gamma) ** (pairs - sum(coins))
        for coins, p in p_of.items():
            assert sum(chances[other] for other in p_of if p_of[other] <= p) <= p * ROUNDING
            for pair in range(pairs):
                greener = (*coins[:pair], 1, *coins[pair + 1 :])
                assert p_of[greener] <= p * ROUNDING
        if not scorer.reads_ids:  # else it is of ids, and tried with them below
            all_red = Signals(np.zeros((len(groups), 1)), weights, groups, Bernoulli(gamma))
            assert scorer.least_p_of(all_red) == pytest.approx(min(p_of.values()), rel=1e-9)

    @pytest.mark.parametrize("kind", ["equal", "measured", "0 and 1"])
    def test_p_values_hold_over_random_colours(self, scorer: Scorer[Any], kind: str) -> None:
        """P(p <= a) <= a holds for a text that repeats itself, of usual length; not all p are 1."""
        draw = np.random.default_rng(1)
        p_values = []
        for _ in range(400):
            weights, groups = text(draw, kind)
            p_values.append(scorer.score(colours(draw, groups, 0.25), weights, groups, 0.25).p_value)
        holds(p_values)

    def test_a_red_pair_turned_green_never_raises_p(self, scorer: Scorer[Any]) -> None:
        """One after the other, in a text too long for all colourings."""
        draw = np.random.default_rng(2)
        for kind in ("equal", "measured"):
            weights, groups = text(draw, kind, tokens=60)
            green = np.zeros(len(groups), dtype=np.bool_)
            last = scorer.score(green, weights, groups, 0.5).p_value
            for group in draw.permutation(int(groups.max()) + 1):
                green = green | (groups == group)
                p_value = scorer.score(green, weights, groups, 0.5).p_value
                assert p_value <= last * ROUNDING
                last = p_value

    def test_weights_of_0_do_not_count(self, scorer: Scorer[Any]) -> None:
        """Tokens that are not scored change neither z nor p, whatever their colour."""
        draw = np.random.default_rng(3)
        weights, groups = text(draw, "measured")
        green = colours(draw, groups, 0.5)
        more = np.append(weights, [0.0, 0.0]), np.append(groups, groups.max() + np.array([1, 2]))
        alone = scorer.score(green, weights, groups, 0.5)
        together = scorer.score(np.append(green, [True, False]), *more, 0.5)
        assert together.p_value == pytest.approx(alone.p_value, rel=1e-9)
        assert together.z == pytest.approx(alone.z, rel=1e-9)

    def test_no_evidence(self, scorer: Scorer[Any]) -> None:
        """No token, and only tokens of weight 0: z is 0 and p is 1."""
        for count in (0, 3):
            score = scorer.score(np.ones(count, np.bool_), np.zeros(count), np.arange(count), 0.5)
            assert (score.z, score.p_value) == (0.0, 1.0)

    def test_numbers_of_groups_do_not_matter(self, scorer: Scorer[Any]) -> None:
        """Which tokens are one pair counts, not what the pair is called."""
        draw = np.random.default_rng(4)
        for _ in range(20):
            weights, groups = text(draw, "measured", tokens=40)
            green = colours(draw, groups, 0.5)
            other = draw.permutation(int(groups.max()) + 1)[groups]
            one, two = (scorer.score(green, weights, numbers, 0.5) for numbers in (groups, other))
            assert two.p_value == pytest.approx(one.p_value, rel=1e-9)
            assert two.z == pytest.approx(one.z, rel=1e-9, abs=1e-9)

    def test_pure(self, scorer: Scorer[Any]) -> None:
        """The same evidence gives the same score, and is not changed."""
        draw = np.random.default_rng(5)
        weights, groups = text(draw, "measured")
        green = colours(draw, groups, 0.5)
        given = weights.copy(), groups.copy(), green.copy()
        first = scorer.score(green, weights, groups, 0.5)
        scorer.score(~green, weights[::-1].copy(), groups, 0.25)
        assert scorer.score(green, weights, groups, 0.5) == first
        assert all((a == b).all() for a, b in zip(given, (weights, groups, green), strict=True))

    def test_z_is_that_of_the_weights_that_are_shared_out(self, scorer: Scorer[Any]) -> None:
        """``shares`` say what repeats count; ``coin_weights``, if there are any, what pairs do."""
        draw = np.random.default_rng(6)
        for _ in range(20):
            weights, groups = text(draw, "measured", tokens=40)
            green = colours(draw, groups, 0.25)
            z = scorer.score(green, weights, groups, 0.25).z
            shared = weights * scorer.shares(np.bincount(groups))[groups]
            summed = z_of_groups(green, shared, groups, 0.25)
            assert summed == pytest.approx(z, rel=1e-9, abs=1e-9)
            coins = scorer.coin_weights(weights, groups)
            if coins is not None:
                own = np.bincount(groups, weights=shared)
                scale = coins.sum() / own.sum()
                assert coins == pytest.approx(own * scale, rel=1e-9)

    @pytest.mark.parametrize("gamma", [0.25, 0.5])
    def test_signals_of_a_green_list_are_its_colours(
        self, scorer: Scorer[Any], mark: Hasher[Any] | None, gamma: float
    ) -> None:
        """``score_signals`` agrees with ``score``; ``least_p_of``, where ids do not decide, says the best."""
        draw = np.random.default_rng(7)
        weights, groups = text(draw, "measured", tokens=40)
        green = colours(draw, groups, gamma)
        signals = Signals(green[:, None].astype(np.float64), weights, groups, Bernoulli(gamma))
        assert scorer.score_signals(signals) == scorer.score(green, weights, groups, gamma)
        if mark is None:
            best = scorer.score(np.ones_like(green), weights, groups, gamma).p_value
            assert scorer.least_p_of(signals) == pytest.approx(best, rel=1e-9)

    @pytest.mark.parametrize("law", [Exponential(), Bernoulli(0.5, parts=(0.5, 0.3, 0.2))], ids=str)
    def test_signals_of_other_marks_hold_or_are_refused(
        self, scorer: Scorer[Any], mark: Hasher[Any] | None, law: Law
    ) -> None:
        """Random draws of another law: P(p <= a) <= a, or an error of one line."""
        draw = np.random.default_rng(8)
        p_values = []
        for _ in range(300):
            weights, groups = text(draw, "measured", tokens=60)
            signals = Signals(draws(draw, law, groups), weights, groups, law)
            try:
                p_values.append(scorer.score_signals(signals).p_value)
            except StelaError as error:
                assert "\n" not in str(error)  # noqa: PT017
                pytest.skip("scores other signals alone")
            assert mark is not None or scorer.least_p_of(signals) <= p_values[-1] * ROUNDING
        holds(p_values)

    def test_p_values_of_a_text_hold_over_keys(self, scorer: Scorer[Any], mark: Hasher[Any] | None) -> None:
        """What looks at ids itself: a text that repeats itself, under random keys; a text without a token."""
        if mark is None:
            pytest.skip("ids are not looked at")
        ids = np.array([5, 9, 5, 5, 2, 9, 7, 5, 1, 0, 3, 3, 3, 3, 8, 5, 9, 5, 5, 2])
        places = np.arange(1, len(ids))
        draw = Random(0)
        p_values = []
        for _ in range(400):
            under = mark.under(draw.getrandbits(64 * type(mark).key_words(mark.parameters)))
            score = scorer.score_text(ids, places, under)
            assert score is not None
            p_values.append(score.p_value)
        holds(p_values)
        assert scorer.score_text(ids, places, under) == score
        drawn = under.draws(under.seeds(under.contexts(ids, places)), ids[places])
        evidence = Signals(drawn, np.ones(len(places)), np.arange(len(places)), under.law)
        assert scorer.least_p_of(evidence) <= min(p_values)
        nothing = scorer.score_text(ids[:1], np.arange(0), mark)
        assert nothing is not None
        assert (nothing.z, nothing.p_value) == (0.0, 1.0)


def holds(p_values: list[float]) -> None:
    """Assert that no share of p-values is above its level by more than chance, and that some are small."""
    values = np.array(p_values)
    for level in LEVELS:
        spread = (level * (1 - level) / len(values)) ** 0.5
        share = (values <= level).mean()
        assert share <= level + SPREAD * spread, f"{share} of p-values are at most {level}"
    assert (values <= LEVELS[0]).any(), "the test has no power"


def arrays(text: Text) -> tuple[Weights, Groups]:
    """Weights and groups, (n,)."""
    return np.array(text.weights, dtype=np.float64), np.array(text.groups, dtype=np.int64)


def text(draw: np.random.Generator, kind: str, tokens: int = 200) -> tuple[Weights, Groups]:
    """Weights and groups of a text whose pairs recur as words do (Zipf)."""
    groups = np.unique(draw.zipf(1.5, tokens) % 97, return_inverse=True)[1].reshape(-1).astype(np.int64)
    if kind == "equal":
        return np.ones(tokens), groups
    own = draw.gamma(0.6, size=97) if kind == "measured" else (draw.random(97) < 0.4).astype(np.float64)
    return own[groups], groups


def colours(draw: np.random.Generator, groups: Groups, gamma: float) -> Green:
    """Colour of each token: that of its group, green with probability ``gamma``."""
    drawn: Green = draw.random(int(groups.max()) + 1) < gamma
    return drawn[groups]


def draws(draw: np.random.Generator, law: Law, groups: Groups) -> npt.NDArray[np.float64]:
    """Draws of each token: those of its group, (n, parts)."""
    shape = (int(groups.max()) + 1, len(law.parts))
    if isinstance(law, Bernoulli):
        return (draw.random(shape) < law.gamma).astype(np.float64)[groups]
    return draw.exponential(size=shape)[groups]


def z_of_groups(
    green: npt.NDArray[np.bool_],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    gamma: float,
) -> float:
    """Z of the groups, each one coin that counts the sum of its tokens' weights."""
    stakes = {group: weights[groups == group].sum() for group in dict.fromkeys(groups.tolist())}
    heads = sum(stake * (green[groups == group][-1] - gamma) for group, stake in stakes.items())
    return float(heads / (gamma * (1 - gamma) * sum(stake * stake for stake in stakes.values())) ** 0.5)
