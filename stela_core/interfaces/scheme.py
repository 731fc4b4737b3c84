"""Scheme: a named composition of hasher, strength, evidence and scorer."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from stela_core.interfaces.component import Component
from stela_core.parameters import Parameters


class SchemeParameters(Parameters):
    """What a scheme has whose bias is delta times a weight."""

    delta: float = Field(2.0, ge=0)
    """Mean bias on the logits of green tokens (nats), on text like the table's."""


class Scheme(Component):
    """Name the four parts of a watermark; the core resolves and runs them.

    The parameters of the two weightings and the scorer are added to the scheme's own, so ``--param
    NAME=VALUE`` reaches all of them.

    Copy me::

        class Kgw(stela.Scheme):
            name = "kgw"
            paper = "Kirchenbauer et al., ICML 2023"
            strength, evidence = "uniform", "uniform"
    """

    kind = "scheme"
    hook = "stela_register_schemes"

    Parameters: ClassVar[type[Parameters]] = SchemeParameters
    """The scheme's parameters: ``delta``, unless ``weights_are_biases``."""

    weights_are_biases: ClassVar[bool] = False
    """Whether the strength weighting gives the bias itself, in nats, and there is no delta."""

    paper: ClassVar[str] = ""
    """Short citation of the paper that the scheme comes from."""

    recommended: ClassVar[str] = ""
    """Why whoever names no scheme gets this one, and who should take another, in a line; empty: not so."""

    recommended_evidence: ClassVar[str] = ""
    """Weighting that then weighs its evidence, where this has a table for the language of the texts."""

    hasher: ClassVar[str] = "keyed"
    """Name of the hasher."""

    strength: ClassVar[str] = "uniform"
    """Name of the weighting that scales the bias at insertion."""

    evidence: ClassVar[str] = "uniform"
    """Name of the weighting of tokens at detection."""

    scorer: ClassVar[str] = "grouped"
    """Name of the scorer."""

    encoder: ClassVar[str] = ""
    """Name of the encoder that puts a message into the mark, where a profile asks for bits; empty: none."""


class SamplingScheme(Scheme):
    """A scheme whose hasher chooses tokens: no bias, so no delta, and all tokens marked alike.

    Copy me::

        class Gumbel(stela.SamplingScheme):
            name, hasher = "my-gumbel", "my-gumbel"
    """

    Parameters: ClassVar[type[Parameters]] = Parameters

    weights_are_biases = True
