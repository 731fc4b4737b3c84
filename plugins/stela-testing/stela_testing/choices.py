"""What every mark that chooses tokens is held to."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from stela_core import SamplingHasher
from stela_testing.many_keys import ManyKeysContract

VOCABULARY = 500
KEYS = 3_000
POINTS = (-1.0, 0.1, 0.5, 1.0, 3.0, 5.0)
"""Points at which the share of draws at or above is held to the law's."""

SIZES = 5.0
"""Standard deviations that an observed mean may lie from the expected one."""


class SamplingHasherContract(ManyKeysContract):
    """Subclass in your tests, with a fixture ``hasher``."""

    undistorted: ClassVar[bool] = True
    """Whether the mean over keys of the marked distribution is claimed to be the model's own."""

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> SamplingHasher:
        """The hasher under test, with any key."""
        raise NotImplementedError("override the fixture hasher")

    def contexts(self, hasher: SamplingHasher, count: int = 200) -> npt.NDArray[np.int64]:
        """Random hash contexts, those of a random text."""
        ids = np.random.default_rng(0).integers(0, VOCABULARY, count + hasher.context_width)
        return hasher.contexts(ids, np.arange(count) + hasher.context_width)

    def test_a_function_of_context_and_token(self, hasher: SamplingHasher) -> None:
        """Equal rows get equal seeds and draws, in any order and by themselves."""
        contexts = self.contexts(hasher)
        seeds = hasher.seeds(contexts)
        assert seeds.dtype == np.uint64
        assert seeds.shape == (
            (len(contexts), hasher.seed_words) if hasher.seed_words > 1 else (len(contexts),)
        )
        assert (hasher.seeds(contexts[::-1])[::-1] == seeds).all()
        tokens = np.arange(len(seeds))
        draws = hasher.draws(seeds, tokens)
        assert draws.shape == (len(seeds), len(hasher.law.parts))
        alone = [hasher.draws(seeds[i : i + 1], tokens[i : i + 1])[0] for i in range(len(seeds))]
        assert (draws == np.array(alone)).all()

    def test_equal_coins_give_equal_draws(self, hasher: SamplingHasher) -> None:
        """Evidence is grouped by coin and token: one group has one signal."""
        ids = np.random.default_rng(1).integers(0, 3, 400)
        contexts = hasher.contexts(ids, np.arange(hasher.context_width, 400))
        seeds, tokens = hasher.seeds(contexts), np.arange(len(contexts)) % 3
        coins, draws = hasher.coins(seeds, tokens), hasher.draws(seeds, tokens)
        seen: dict[object, list[float]] = {}
        for coin, token, own in zip(coins.tolist(), tokens.tolist(), draws.tolist(), strict=True):
            coin = tuple(coin) if isinstance(coin, list) else coin
            assert seen.setdefault(coin if hasher.coins_hold_token else (coin, token), own) == own

    def test_draws_follow_the_law(self, hasher: SamplingHasher) -> None:
        """Shares of draws above some values, over keys and contexts, and their means."""
        law, draws = hasher.law, self._over_keys(hasher)
        for point in POINTS:
            tail = law.survival(point)
            error = SIZES * (tail * (1 - tail) / len(draws)) ** 0.5
            share = (draws >= point).mean(axis=0)
            assert np.abs(share - tail).max() <= error, (
                f"{share} of each part's draws are >= {point}, by the law {tail}"
            )
        signal = law.signal(draws)
        assert abs(signal.mean() - law.mean) < SIZES * (law.variance / len(signal)) ** 0.5

    def test_tokens_under_one_seed_have_independent_draws(self, hasher: SamplingHasher) -> None:
        """The means of twenty tokens vary as those of independent ones, where more than one is scored."""
        if hasher.first_only or hasher.drops_dependent:
            pytest.skip("only one of them is scored")
        law, signal = hasher.law, hasher.law.signal(self._over_keys(hasher))
        squares = 20 * (signal.reshape(-1, 20).mean(axis=1) - law.mean) ** 2 / law.variance
        assert abs(squares.mean() - 1) <= SIZES * squares.std() / len(squares) ** 0.5, (
            "tokens under one seed share draws: set first_only"
        )

    def _over_keys(self, hasher: SamplingHasher) -> npt.NDArray[np.float64]:
        each = 1 if hasher.first_only else 20
        contexts = self.contexts(hasher, 400 // each)
        tokens = np.tile(np.arange(0, 40, 2), 20)
        contexts = np.repeat(contexts, each, axis=0)
        hashers = [hasher.under(key) for key in keys_of(hasher, 50)]
        return np.concatenate([own.draws(own.seeds(contexts), tokens) for own in hashers])

    def test_marked_scores_are_of_tokens_that_may_come(self, hasher: SamplingHasher) -> None:
        """Nothing that was left out comes back, no padding is chosen, and the scores are not changed."""
        torch = pytest.importorskip("torch")
        scores = torch.randn(3, VOCABULARY + 5, generator=torch.Generator().manual_seed(0)) * 2
        scores[:, ::3] = -torch.inf
        before = scores.clone()
        out = hasher.mark(scores, hasher.seeds(self.contexts(hasher, 3)), VOCABULARY)
        assert torch.equal(scores, before)
        assert out.shape == scores.shape
        assert torch.isfinite(out).any(dim=1).all()
        assert (out[~torch.isfinite(scores)] == -torch.inf).all()
        assert (out[:, VOCABULARY:] == -torch.inf).all()

    def test_the_marked_distribution_is_the_models_on_average(self, hasher: SamplingHasher) -> None:
        """The mean over keys is the model's, to five sd; a share of mean p varies by p (1 - p) at most."""
        if not self.undistorted:
            pytest.skip("distorts, and says so")
        torch = pytest.importorskip("torch")
        scores = torch.log(torch.tensor([[0.4, 0.25, 0.2, 0.1, 0.04, 0.01]]))
        context = self.contexts(hasher, 1)
        total = np.zeros(scores.shape[1])
        for key in keys_of(hasher, KEYS):
            own = hasher.under(key)
            total += own.mark(scores, own.seeds(context), scores.shape[1]).double().softmax(-1)[0].numpy()
        p = scores.exp()[0].numpy()
        assert (np.abs(total / KEYS - p) < SIZES * np.sqrt(p * (1 - p) / KEYS)).all()

    def test_tokens_of_the_marked_distribution_have_larger_signals(self, hasher: SamplingHasher) -> None:
        """What detection rests on."""
        torch = pytest.importorskip("torch")
        contexts = self.contexts(hasher, 300)
        seeds = hasher.seeds(contexts)
        scores = torch.zeros(len(seeds), 50)
        marked = hasher.mark(scores, seeds, 50).double().softmax(-1)
        tokens = torch.multinomial(marked, 1, generator=torch.Generator().manual_seed(0))[:, 0].numpy()
        signal = hasher.law.signal(hasher.draws(seeds, tokens))
        assert signal.mean() > hasher.law.mean + SIZES * (hasher.law.variance / len(signal)) ** 0.5


def keys_of(hasher: SamplingHasher, count: int) -> list[int]:
    """Random keys, of as many words as the hasher's have; the same in each run."""
    bits = 64 * type(hasher).key_words(hasher.parameters)
    source = Random(0)
    return [source.getrandbits(bits) for _ in range(count)]
