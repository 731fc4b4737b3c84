"""What every weighting is held to (invariant 4 holds by construction: see ``Positions``)."""

from __future__ import annotations

import numpy as np
import pytest

from stela_core.composition import checked_weights
from stela_core.interfaces import Context, Positions, Weighting


class WeightingContract:
    """Subclass in your tests, with fixtures ``weighting`` and ``contexts``."""

    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> Weighting:
        """The weighting under test; it needs no logits."""
        raise NotImplementedError("override the fixture weighting")

    @pytest.fixture(scope="class")
    @classmethod
    def contexts(cls) -> list[Context]:
        """POS contexts, some of them unseen or short."""
        return [(), ("X",), ("X", "Y"), ("no such tag",)]

    def test_one_weight_for_each_position(self, weighting: Weighting, contexts: list[Context]) -> None:
        """Shape, sign, and no influence of one position on another."""
        together = checked_weights(weighting, Positions(len(contexts), contexts))
        alone = [checked_weights(weighting, Positions(1, [context]))[0] for context in contexts]
        assert together.tolist() == alone
        assert checked_weights(weighting, Positions(0, [])).shape == (0,)

    def test_mean_is_positive(self, weighting: Weighting) -> None:
        """Delta is divided by it."""
        assert np.isfinite(weighting.mean("tokens"))
        assert weighting.mean("tokens") > 0
        assert weighting.mean("types") > 0
