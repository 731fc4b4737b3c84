"""MorphMark: strength that follows the green list's own probability (Wang et al., ACL 2025)."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela

FIRMEST = 1 - 2.0**-24
"""Largest share of the red probability that is moved: the rest is below a float32's resolution.

The paper moves all of it where r reaches 1, which as a bias on logits would be infinite."""


class MorphMarkParameters(stela.Parameters):
    """How r, the share of the red tokens' probability that goes to the green ones, follows P, theirs."""

    form: Literal["exp", "linear", "log"] = "exp"
    """r = exp(k P) - 1, k P, or log(k P + 1), and at most 1."""

    k: float = Field(1.30, ge=0)
    """The factor. The paper's are 1.30 for exp, 1.55 for linear, 2.15 for log."""

    p0: float = Field(0.15, ge=0, le=1)
    """Smallest P at which anything is moved."""


class MorphMark(stela.Weighting[MorphMarkParameters]):
    """The bias, in nats, that moves the share r of the red probability to the green tokens.

    ``p_green *= (P + r (1 - P)) / P`` and ``p_red *= 1 - r`` is, after normalisation, exactly
    ``log((P + r (1 - P)) / (P (1 - r)))`` on the green logits. P is that of the single row.
    """

    name = "morphmark"
    needs = frozenset({"green"})

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Biases, (n,), at least 0 and at most about 18."""
        assert positions.green_mass is not None
        p = np.clip(positions.green_mass, 0.0, 1.0)
        moved = np.minimum(self._share(p), FIRMEST)
        moved = np.where((p < self.parameters.p0) | (p == 0), 0.0, moved)
        with np.errstate(divide="ignore", invalid="ignore"):
            bias = np.log1p(moved * (1 - p) / p) - np.log1p(-moved)
        return np.where(moved > 0, bias, 0.0)

    def _share(self, p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        form, k = self.parameters.form, self.parameters.k
        if form == "exp":
            return np.expm1(k * p)
        return k * p if form == "linear" else np.log1p(k * p)


class MorphMarkScheme(stela.Scheme):
    """The more of the probability is green already, the more of the rest is moved there.

    There is no ``delta``: the strength is set by ``k``. Detection counts every token alike.
    """

    name = "morphmark"
    paper = "Wang et al., ACL 2025"
    strength = "morphmark"
    evidence = "uniform"
    Parameters = stela.Parameters
    weights_are_biases = True
    strength_range = ("k", 0.0, 8.0)


@stela.hookimpl
def stela_register_weightings() -> type[stela.Weighting]:
    """Register the weighting."""
    return MorphMark


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return MorphMarkScheme
