"""Weights of sampling marks by the probability of the token itself."""

import numpy as np
import numpy.typing as npt
from stela_models.gains import of_exponentials

import stela_core as stela
from stela_ewd.likelihood import own_and_others
from stela_ewd.sampling_gain import DrawnParameters, TournamentParameters

EULER = 0.5772156649015329

PER_NAT = (0.6, 1.2)
"""Excess bits of all layers of a tournament for each nat of entropy, and of the winner's surprisal: the mean
over winners is 1.8 a nat, as in ``ewd-synthid-gain``."""

LEAST = 1e-12
"""Probabilities below it are taken for it: no model means them."""


class GumbelLikelihood(stela.Weighting[DrawnParameters]):
    """``1 - 1 / H(1 / p)``, p the token's own probability and H the harmonic number (``docs/weights.md``).

    The uniform number of a token that a Gumbel mark chose is Beta(1 / p, 1), so its signal has mean H(1 / p).
    """

    name = "ewd-gumbel-likelihood"
    needs = frozenset({"logits", "token"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), in [0, 1)."""
        import torch

        assert positions.tokens is not None
        own, _ = own_and_others(positions.logits, positions.tokens, self.parameters.temperature)
        means = torch.special.digamma(1 + 1 / own.clamp(LEAST, 1.0)) + EULER
        gains: npt.NDArray[np.float64] = (means - 1).clamp(min=0).cpu().numpy()
        return of_exponentials(gains)


class SynthIdLikelihood(stela.Weighting[TournamentParameters]):
    """Log-odds of the mean bit of a winner that had probability p (``docs/weights.md``)."""

    name = "ewd-synthid-likelihood"
    needs = frozenset({"logits", "token"})
    any_model = True

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Weights (n,), in [0, log 3]."""
        assert positions.tokens is not None
        own, others = own_and_others(positions.logits, positions.tokens, self.parameters.temperature)
        chances = own.clamp(LEAST, 1.0)
        entropies = -(others * others.clamp(min=1e-300).log()).sum(dim=-1) - chances * chances.log()
        gains = winners_gain(chances.cpu().numpy(), entropies.cpu().numpy(), self.parameters.depth)
        return log_odds(gains)


def winners_gain(
    chances: npt.NDArray[np.float64], entropies: npt.NDArray[np.float64], depth: int
) -> npt.NDArray[np.float64]:
    """Expected excess over 1/2 of the mean bit of tokens that won a tournament, (n,), in [0, 1/4].

    The first layer turns p into ``p (1 + g - sum p g)``: given that the token wins, its bit is 1 with
    probability ``(3 - p) / 4``. All layers together raise log p to 0, and gain bits on the way: within 10 to
    12 % (root mean square) of simulated tournaments of 5 to 30 layers over distributions of all shapes.
    """
    first = (1 - chances) / 4
    budget = (PER_NAT[0] * entropies - PER_NAT[1] * np.log(chances)) / depth
    return np.asarray(first * budget / np.maximum(np.hypot(first, budget), 1e-30))


def log_odds(gains: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Log odds that the likelihood ratio gives bits that are 1 with probability 1/2 + gain, (n,)."""
    return np.asarray(np.log((1 + 2 * gains) / (1 - 2 * gains)))
