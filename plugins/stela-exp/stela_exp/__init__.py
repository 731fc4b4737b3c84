"""Robust distortion-free watermarks with a key sequence (Kuditipudi et al., TMLR 2024)."""

from __future__ import annotations

from typing import Any

import stela_core as stela
from stela_exp.alignment import AlignScorer, EditScorer
from stela_exp.exponential import ExpHasher
from stela_exp.inverse import ItsHasher
from stela_exp.scan import ScanScorer

PAPER = "Kuditipudi et al., TMLR 2024"


class Exp(stela.SamplingScheme):
    """Exponential minimum sampling, found at the shift that the text shows, with an exact Gamma tail."""

    name = "exp"
    paper = PAPER
    hasher = "exp"


class ExpScan(stela.SamplingScheme):
    """The same mark, found at any shift by an exact tail times the number of shifts."""

    name = "exp-scan"
    paper = PAPER
    hasher = "exp"
    scorer = "exp-scan"


class ExpAlign(stela.SamplingScheme):
    """The same mark, found at any shift of the sequence by resampling others (EXP)."""

    name = "exp-align"
    paper = PAPER
    hasher = "exp"
    scorer = "exp-align"


class ExpEdit(stela.SamplingScheme):
    """The same mark, found at any shift through insertions and deletions (EXP-edit)."""

    name = "exp-edit"
    paper = PAPER
    hasher = "exp"
    scorer = "exp-edit"


class Its(stela.SamplingScheme):
    """Inverse transform sampling, found at the shift that the text shows, with the same exact tail."""

    name = "exp-its"
    paper = PAPER
    hasher = "exp-its"


class ItsScan(stela.SamplingScheme):
    """Inverse transform sampling, found at any shift by an exact tail times the number of shifts."""

    name = "exp-its-scan"
    paper = PAPER
    hasher = "exp-its"
    scorer = "exp-scan"


class ItsEdit(stela.SamplingScheme):
    """Inverse transform sampling, found at any shift through insertions and deletions (ITS-edit)."""

    name = "exp-its-edit"
    paper = PAPER
    hasher = "exp-its"
    scorer = "exp-edit"


@stela.hookimpl
def stela_register_hashers() -> list[type[stela.Hasher[Any]]]:
    """Register the hashers."""
    return [ExpHasher, ItsHasher]


@stela.hookimpl
def stela_register_scorers() -> list[type[stela.Scorer]]:
    """Register the scorers."""
    return [AlignScorer, EditScorer, ScanScorer]


@stela.hookimpl
def stela_register_schemes() -> list[type[stela.Scheme]]:
    """Register the schemes."""
    return [Exp, ExpAlign, ExpEdit, ExpScan, Its, ItsEdit, ItsScan]
