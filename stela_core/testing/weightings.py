"""What every weighting is held to (invariant 4 holds by construction: see ``Positions``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from stela_core.composition import checked_over_text, checked_weights
from stela_core.interfaces import Context, Positions, Weighting

VOCABULARY = 64


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
        tokens = np.arange(1, len(contexts) + 1)[rows] if "token" in weighting.needs else None
        return Positions(len(contexts[rows]), contexts[rows], logits, mass, text=text, tokens=tokens)

    def test_one_weight_for_each_position(self, weighting: Weighting, contexts: list[Context]) -> None:
        """Shape, sign, and no influence of one position on another."""
        together = checked_weights(weighting, self.positions(weighting, contexts, slice(None)))
        alone = [
            checked_weights(weighting, self.positions(weighting, contexts, slice(n, n + 1)))[0]
            for n in range(len(contexts))
        ]
        assert together.tolist() == alone
        nothing = checked_weights(weighting, self.positions(weighting, contexts, slice(0, 0)))
        assert nothing.shape == (0,)

    def test_a_surrogate_s_tokens_may_stand_anywhere(
        self, weighting: Weighting, contexts: list[Context]
    ) -> None:
        """With ``any_model``: it reads how likely tokens are, in any order and among impossible ones."""
        if not weighting.any_model:
            pytest.skip("reads which tokens are likely")
        torch = pytest.importorskip("torch")
        positions = self.positions(weighting, contexts, slice(None))
        nothing = torch.full_like(positions.logits, -torch.inf)
        order = torch.randperm(2 * VOCABULARY, generator=torch.Generator().manual_seed(1))
        elsewhere = replace(positions, logits=torch.cat([positions.logits, nothing], dim=-1)[:, order])
        if positions.tokens is not None:
            elsewhere = replace(elsewhere, tokens=order.argsort().numpy()[positions.tokens])
        weights, others = checked_weights(weighting, positions), checked_weights(weighting, elsewhere)
        assert others == pytest.approx(weights, rel=1e-5, abs=1e-6)

    def test_over_text_keeps_the_contract(self, weighting: Weighting, contexts: list[Context]) -> None:
        """A weight of at least 0 for each position, also of a text without any."""
        for rows in (slice(None), slice(0, 1), slice(0, 0)):
            weights = checked_weights(weighting, self.positions(weighting, contexts, rows))
            assert checked_over_text(weighting, weights).shape == weights.shape

    def test_mean_is_positive(self, weighting: Weighting) -> None:
        """Delta is divided by it."""
        assert np.isfinite(weighting.mean("tokens"))
        assert weighting.mean("tokens") > 0
        assert weighting.mean("types") > 0
