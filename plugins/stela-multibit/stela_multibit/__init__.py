"""Other ways to write a message into green lists, to compare with: MPAC and the binomial encoding."""

from __future__ import annotations

from typing import Any

from stela_payload.interface import SeedEncoder

import stela_core as stela
from stela_multibit.binomial import BinomialBits, BinomialHasher
from stela_multibit.mpac import MpacHasher, MpacSymbols


class Mpac(stela.Scheme):
    """Each context chooses two bits of the message; they choose which of four lists is green."""

    name = "multibit-mpac"
    paper = "Yoo et al., NAACL 2024"
    hasher = "multibit-mpac"
    encoder = "multibit-mpac"


class Binomial(stela.Scheme):
    """Each token has a keyed coin for each bit; its bias grows with those that agree with the message."""

    name = "multibit-binomial"
    paper = "Gloaguen et al., NeurIPS 2026"
    hasher = "multibit-binomial"
    encoder = "multibit-binomial"


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher[Any]]]:
    """Register the hashers."""
    return [MpacHasher, BinomialHasher]


@stela.hookimpl
def stela_register_encoders() -> list[type[SeedEncoder]]:
    """Register the encoders."""
    return [MpacSymbols, BinomialBits]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [Mpac, Binomial]
