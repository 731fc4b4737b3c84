"""What every green list is held to (invariant 3)."""

from __future__ import annotations

import numpy as np
import pytest

from stela_core import GreenList
from stela_testing.many_keys import ManyKeysContract

VOCABULARY = 1_000


class GreenListContract(ManyKeysContract):
    """Subclass in your tests, with a fixture ``hasher``."""

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> GreenList:
        """The hasher under test, with any key."""
        raise NotImplementedError("override the fixture hasher")

    def contexts(
        self, hasher: GreenList, count: int = 400
    ) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Random hash contexts."""
        return np.random.default_rng(0).integers(0, VOCABULARY, (count, hasher.context_width))

    def test_a_function_of_context_and_token(self, hasher: GreenList) -> None:
        """Equal rows get equal seeds and colours, in any order."""
        contexts = self.contexts(hasher)
        seeds = hasher.seeds(contexts)
        assert seeds.dtype == np.uint64
        assert (hasher.seeds(contexts[::-1])[::-1] == seeds).all()
        tokens = np.arange(len(seeds))
        green = hasher.green(seeds, tokens)
        alone = [bool(hasher.green(seeds[i : i + 1], tokens[i : i + 1])[0]) for i in range(len(seeds))]
        assert green.tolist() == alone

    def test_equal_coins_give_equal_colours(self, hasher: GreenList) -> None:
        """Evidence is grouped by coin and token: one group has one colour."""
        contexts = np.random.default_rng(1).integers(0, 5, (400, hasher.context_width))
        seeds, tokens = hasher.seeds(contexts), np.arange(400) % 3
        coins, green = hasher.coins(seeds, tokens), hasher.green(seeds, tokens)
        assert coins.dtype == np.uint64
        assert coins.shape == seeds.shape[:1]
        colours: dict[tuple[int, int], bool] = {}
        for coin, token, colour in zip(coins.tolist(), tokens.tolist(), green.tolist(), strict=True):
            assert colours.setdefault((coin, token), colour) == colour

    def test_green_share_is_gamma(self, hasher: GreenList) -> None:
        """The share of green tokens over contexts and tokens is gamma, to five standard deviations."""
        seeds = np.repeat(np.unique(hasher.seeds(self.contexts(hasher)), axis=0), VOCABULARY, axis=0)
        green = hasher.green(seeds, np.tile(np.arange(VOCABULARY), len(seeds) // VOCABULARY))
        spread = (hasher.gamma * (1 - hasher.gamma) / len(green)) ** 0.5
        assert abs(green.mean() - hasher.gamma) < 5 * spread

    def test_bias_falls_on_green_tokens_alone(self, hasher: GreenList) -> None:
        """Insertion and detection agree on every token of the vocabulary."""
        torch = pytest.importorskip("torch")
        seeds = hasher.seeds(self.contexts(hasher, 3))
        scores = torch.zeros(3, VOCABULARY + 5)
        out = hasher.add_bias(scores, seeds, [1.5, 0.0, 0.5], VOCABULARY).numpy()
        assert not scores.any()
        tokens = np.arange(VOCABULARY)
        for row, bias in enumerate([1.5, 0.0, 0.5]):
            green = hasher.green(np.repeat(seeds[row : row + 1], VOCABULARY, axis=0), tokens)
            assert (out[row, :VOCABULARY] == np.where(green, np.float32(bias), 0)).all()
            assert not out[row, VOCABULARY:].any()

    def test_split_is_the_green_tokens(self, hasher: GreenList) -> None:
        """The mass of the green ids of each row by itself, and the bias of ``add_bias`` by another way."""
        torch = pytest.importorskip("torch")
        seeds = hasher.seeds(self.contexts(hasher, 3))
        scores = torch.randn(3, VOCABULARY + 5, generator=torch.Generator().manual_seed(0)) * 3
        split = hasher.split(scores.clone(), seeds, VOCABULARY)
        tokens = np.arange(VOCABULARY)
        rows = (np.repeat(seed[None], VOCABULARY, axis=0) for seed in seeds)
        green = np.array([hasher.green(row, tokens) for row in rows])
        p = scores.double().softmax(-1).numpy()[:, :VOCABULARY]
        assert split.green_mass == pytest.approx((p * green).sum(axis=1), abs=1e-6)
        out = split.add_bias([1.5, 0.0, 0.5]).numpy()
        expected = scores.numpy().copy()
        expected[:, :VOCABULARY] += green * np.array([[1.5], [0.0], [0.5]], dtype=np.float32)
        assert (out == expected).all()
