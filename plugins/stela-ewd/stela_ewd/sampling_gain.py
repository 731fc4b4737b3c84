"""Gains of sampling marks: each token weighed by what the mark may be expected to add there."""

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_models.gains import gumbel_gain, of_exponentials, synthid_gain

import stela_core as stela


class DrawnParameters(stela.Parameters):
    """How the text was drawn."""

    temperature: float = Field(0.7, gt=0, le=10)
    """Temperature by which logits were divided when the text was drawn."""


class TournamentParameters(DrawnParameters):
    """How the text was drawn, and by how many layers."""

    depth: int = Field(30, ge=1, le=100)
    """Layers of the tournament."""


class GumbelGain(stela.Weighting[DrawnParameters]):
    """``g / (1 + g)`` of the excess g that a Gumbel mark is expected to add (``docs/weights.md``)."""

    name = "ewd-gumbel-gain"
    needs = frozenset({"logits"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), in [0, 1)."""
        return of_exponentials(gumbel_gain(positions.logits, self.parameters.temperature))


class SynthIdGain(stela.Weighting[TournamentParameters]):
    """Expected excess of the mean bit of a tournament's winner over 1/2 (``docs/weights.md``)."""

    name = "ewd-synthid-gain"
    needs = frozenset({"logits"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), in [0, 1/4]."""
        chosen = self.parameters
        return synthid_gain(positions.logits, chosen.temperature, chosen.depth)
