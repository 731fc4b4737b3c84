"""Gain: each token weighed by what the mark may be expected to add there, read off the model's logits."""

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_models.gains import expected_gain

import stela_core as stela


class GainParameters(stela.SchemeParameters):
    """The mark's delta, and how its text was drawn."""

    temperature: float = Field(0.7, gt=0, le=10)
    """Temperature by which logits were divided when the text was drawn."""


class Gain(stela.Weighting[GainParameters]):
    """Expected rise of the green tokens' probability by the mark, over random splits (``docs/weights.md``).

    ``E[G a / (1 - G + G a)] - gamma`` with ``a = exp(delta / temperature)`` and G the green probability
    before the mark. Up to a factor it is the weight that is best for a token of this distribution where
    marks are weak (the locally most powerful one), and so more than EWD's, which bounds it.
    """

    name = "ewd-gain"
    needs = frozenset({"logits"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Gains, (n,), in [0, 1 - gamma]."""
        chosen = self.parameters
        return expected_gain(positions.logits, chosen.temperature, chosen.delta, positions.gamma)

    def gains(
        self, weights: npt.NDArray[np.float64], bias: npt.NDArray[np.float64], gamma: float
    ) -> npt.NDArray[np.float64]:
        """The weights themselves."""
        return weights
