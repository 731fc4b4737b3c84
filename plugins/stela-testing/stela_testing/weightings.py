"""What every weighting is held to (invariant 4 holds by construction: see ``Positions``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from stela_core import Positions, Weighting
from stela_core.api import Context

VOCABULARY = 64

WORDS = ("The", " city", " of", " 한국", "", "的")
"""Tokens of the text of weightings that read the token and no logits."""


class WeightingContract:
    """Subclass in your tests, with a fixture ``weighting``, and ``contexts`` where it reads them."""

    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> Weighting:
        """The weighting under test."""
        raise NotImplementedError("override the fixture weighting")

    @pytest.fixture(scope="class")
    @classmethod
    def contexts(cls) -> list[Context]:
        """POS contexts, some of them unseen or short."""
        return [(), ("X",), ("X", "Y"), ("no such tag",)]

    def positions(self, weighting: Weighting, contexts: list[Context], rows: slice) -> Positions:
        """Positions with what the weighting needs: from certain to free, and one with a forbidden token."""
        logits: Any = None
        if "logits" in weighting.needs:
            torch = pytest.importorskip("torch")
            generator = torch.Generator().manual_seed(0)
            logits = torch.randn(len(contexts), VOCABULARY, generator=generator)
            logits = logits * torch.linspace(60, 0.1, len(contexts))[:, None]
            logits[-1, 0] = -torch.inf
            logits = logits[rows]
        mass = np.linspace(0, 1, len(contexts))[rows] if "green" in weighting.needs else None
        texts = ["", "The city", "The city of ", "한국의 역사"]
        text = [texts[n % len(texts)] for n in range(len(contexts))][rows]
        tokens: npt.NDArray[np.int64] | None = None
        cut: tuple[str, Sequence[int], Sequence[int]] = ("", (0,), ())
        if {"token", "logits"} <= weighting.needs:
            tokens = np.arange(1, len(contexts) + 1)[rows]
        elif "token" in weighting.needs:
            places = range(len(contexts))
            cut = "".join(WORDS[n % len(WORDS)] for n in places), ends_of(len(contexts)), list(places)[rows]
        return Positions(len(contexts[rows]), contexts[rows], logits, mass, text=text, tokens=tokens, cut=cut)

    def test_one_weight_for_each_position(self, weighting: Weighting, contexts: list[Context]) -> None:
        """Shape, sign, and no influence of one position on another."""
        together = weights_of(weighting, self.positions(weighting, contexts, slice(None)))
        alone = [
            weights_of(weighting, self.positions(weighting, contexts, slice(n, n + 1)))[0]
            for n in range(len(contexts))
        ]
        assert together.tolist() == alone
        nothing = weights_of(weighting, self.positions(weighting, contexts, slice(0, 0)))
        assert nothing.shape == (0,)

    def test_a_surrogate_s_tokens_may_stand_anywhere(
        self, weighting: Weighting, contexts: list[Context]
    ) -> None:
        """A weighting with ``any_model`` reads how likely tokens are, in any order, among impossible ones."""
        if not weighting.any_model:
            pytest.skip("reads which tokens are likely")
        torch = pytest.importorskip("torch")
        positions = self.positions(weighting, contexts, slice(None))
        nothing = torch.full_like(positions.logits, -torch.inf)
        order = torch.randperm(2 * VOCABULARY, generator=torch.Generator().manual_seed(1))
        elsewhere = replace(positions, logits=torch.cat([positions.logits, nothing], dim=-1)[:, order])
        if positions.tokens is not None:
            elsewhere = replace(elsewhere, tokens=order.argsort().numpy()[positions.tokens])
        weights, others = weights_of(weighting, positions), weights_of(weighting, elsewhere)
        assert others == pytest.approx(weights, rel=1e-5, abs=1e-6)

    def test_over_text_keeps_the_contract(self, weighting: Weighting, contexts: list[Context]) -> None:
        """A weight of at least 0 for each position, also of a text without any."""
        for rows in (slice(None), slice(0, 1), slice(0, 0)):
            weights = weights_of(weighting, self.positions(weighting, contexts, rows))
            assert_weights(weighting.over_text(weights), len(weights))

    def test_mean_is_positive(self, weighting: Weighting) -> None:
        """Delta is divided by it."""
        assert np.isfinite(weighting.mean("tokens"))
        assert weighting.mean("tokens") > 0
        assert weighting.mean("types") > 0


def ends_of(count: int) -> list[int]:
    """The places where ``count`` of the :data:`WORDS`, one after the other, begin, and where that ends."""
    return [0, *accumulate(len(WORDS[n % len(WORDS)]) for n in range(count))]


def weights_of(weighting: Weighting, positions: Positions) -> npt.NDArray[np.float64]:
    """The weighting's weights of these positions, (n,), which are asserted to be weights."""
    return assert_weights(weighting.weights(positions), positions.count)


def assert_weights(values: npt.ArrayLike, count: int) -> npt.NDArray[np.float64]:
    """Assert that values are weights: one for each position, finite and at least 0; returns them, (n,)."""
    weights = np.asarray(values, dtype=np.float64)
    assert weights.shape == (count,), f"weights of shape {weights.shape} for {count} positions"
    assert (np.isfinite(weights) & (weights >= 0)).all(), "a weight is negative or not finite"
    return weights
