"""Unbiased reweighting: delta and gamma (Hu et al., ICLR 2024), DiPmark (Wu et al., ICML 2024)."""

from __future__ import annotations

from typing import Any

import stela_core as stela
from stela_unbiased.delta import DeltaHasher
from stela_unbiased.second_half import DipHasher, GammaHasher


class Delta(stela.SamplingScheme):
    """One keyed number a token, inverse transform sampling over a keyed order."""

    name = "unbiased-delta"
    paper = "Hu et al., ICLR 2024"
    hasher = "unbiased-delta"


class Gamma(stela.SamplingScheme):
    """The later half of the probability, in a keyed order, counts double, the earlier none."""

    name = "unbiased-gamma"
    paper = "Hu et al., ICLR 2024"
    hasher = "unbiased-gamma"


class Dip(stela.SamplingScheme):
    """DiPmark: the ends of a keyed order trade alpha of the probability."""

    name = "unbiased-dip"
    paper = "Wu et al., ICML 2024"
    hasher = "unbiased-dip"


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher[Any]]]:
    """Register the hashers."""
    return [DeltaHasher, GammaHasher, DipHasher]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [Delta, Gamma, Dip]
