"""Contracts that plugins' tests subclass."""

from stela_core.testing.choices import ChoiceContract
from stela_core.testing.evidence import EvidenceContract
from stela_core.testing.green_lists import GreenListContract
from stela_core.testing.taggers import TaggerContract
from stela_core.testing.weightings import WeightingContract

HasherContract, SamplingHasherContract = GreenListContract, ChoiceContract
"""Under their names of before."""

__all__ = [
    "ChoiceContract",
    "EvidenceContract",
    "GreenListContract",
    "HasherContract",
    "SamplingHasherContract",
    "TaggerContract",
    "WeightingContract",
]
