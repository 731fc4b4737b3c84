"""SWEET: mark, and count, only where the model hesitates (Lee et al., "Who Wrote this Code?", ACL 2024)."""

import numpy as np
import numpy.typing as npt
from pydantic import Field
from stela_kernels.row_entropy import entropies

import stela_core as stela


class SweetParameters(stela.Parameters):
    """The threshold above which a token is marked, and how the model reads."""

    threshold: float = Field(0.9, ge=0)
    """Shannon entropy (nats) of the next token above which a token is marked and counted."""

    bos: bool = True
    """Whether the model reads its beginning-of-text token before a text whose prompt is not known, at
    detection; MarkLLM's does not."""


class Sweet(stela.Weighting[SweetParameters]):
    """1 where the entropy of the model's distribution is above the threshold, else 0."""

    name = "sweet"
    needs = frozenset({"logits"})
    any_model = True

    @property
    def reads_bos(self) -> bool:
        """Whether the model reads its beginning-of-text token, as the parameter ``bos`` says."""
        return self.parameters.bos

    def weights(self, positions: stela.Positions) -> npt.NDArray[np.float64]:
        """Ones and zeros, (n,)."""
        return (entropies(positions.logits) > self.parameters.threshold).astype(np.float64)


class SweetScheme(stela.Scheme):
    """Green logits get ``delta`` where the entropy is high; detection counts only these tokens.

    As in the paper, ``delta`` is the bias on the tokens that are marked: the mean bias over a text is
    smaller, by the share of tokens above the threshold.
    """

    name = "sweet"
    paper = "Lee et al., ACL 2024"
    strength = "sweet"
    evidence = "sweet"
    strength_range = ("threshold", 16.0, 0.0)


@stela.hookimpl
def stela_register_weightings() -> type[stela.Weighting]:
    """Register the weighting."""
    return Sweet


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return SweetScheme
