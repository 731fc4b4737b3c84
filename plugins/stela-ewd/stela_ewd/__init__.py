"""EWD: KGW's mark, each token weighed by its entropy at detection (Lu et al., ACL 2024); and by its gain."""

from math import exp

import numpy as np
import numpy.typing as npt
from stela_kernels.row_entropy import spike_entropies

import stela_core as stela
from stela_ewd.gain import Gain
from stela_ewd.likelihood import Likelihood
from stela_ewd.sampling_gain import GumbelGain, SynthIdGain
from stela_ewd.sampling_likelihood import GumbelLikelihood, SynthIdLikelihood

RESOLUTION = 1e-6
"""Differences below it are rounding errors of float32 logits."""


class EwdParameters(stela.SchemeParameters):
    """The mark's, and how it is weighed."""

    bos: bool = True
    """Whether the model reads its beginning-of-text token before a text whose prompt is not known;
    MarkLLM's does not."""


class Ewd(stela.Weighting[EwdParameters]):
    """Spike entropy of the model's distribution, minus its minimum over the text.

    The modulus is that of the mark: ``(1 - gamma) (alpha - 1) / (1 - gamma + gamma alpha)`` with
    ``alpha = exp(delta)`` (Kirchenbauer et al. 2023, theorem 4.2).
    """

    name = "ewd"
    needs = frozenset({"logits"})
    any_model = True

    @property
    def reads_bos(self) -> bool:
        """Whether the model reads its beginning-of-text token, as the parameter ``bos`` says."""
        return self.parameters.bos

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Spike entropies, (n,), in [1 / (1 + modulus), 1]."""
        return spike_entropies(positions.logits, modulus(self.parameters.delta, positions.gamma))

    def over_text(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Minus their minimum; entropies that are all equal say nothing, and are not changed."""
        if not len(weights) or np.ptp(weights) < RESOLUTION:
            return weights
        least: np.float64 = weights.min()
        return weights - least


def modulus(delta: float, gamma: float) -> float:
    """The modulus of the spike entropy that bounds the green tokens of a mark."""
    alpha = exp(delta)
    return (1 - gamma) * (alpha - 1) / (1 - gamma + gamma * alpha)


class EwdScheme(stela.Scheme):
    """Marks as KGW does; detection gives tokens that could have been others more weight."""

    name = "ewd"
    paper = "Lu et al., ACL 2024"
    strength = "uniform"
    evidence = "ewd"


@stela.hookimpl
def stela_register_weightings() -> list[type[stela.Weighting]]:
    """Register the weightings."""
    return [Ewd, Gain, GumbelGain, SynthIdGain, Likelihood, GumbelLikelihood, SynthIdLikelihood]


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return EwdScheme
