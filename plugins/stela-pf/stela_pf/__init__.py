"""Permute-and-flip marks: Zhao, Li, Wang, ICLR 2025, arXiv 2402.05864."""

from __future__ import annotations

import stela_core as stela
from stela_pf.hasher import Pf


class PfScheme(stela.SamplingScheme):
    """Choose each token by exponential noise of the key: the permute-and-flip decoder, over random keys."""

    name = "pf"
    paper = "Zhao et al., ICLR 2025"
    hasher = "pf"


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher]]:
    """Register the hasher."""
    return [Pf]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the scheme."""
    return [PfScheme]
