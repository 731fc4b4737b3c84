"""Contracts that plugins' tests subclass, and slow oracles to check fast code against."""

from stela_core.testing.evidence import EvidenceContract
from stela_core.testing.hashers import HasherContract
from stela_core.testing.sampling import SamplingHasherContract
from stela_core.testing.taggers import TaggerContract
from stela_core.testing.weightings import WeightingContract

__all__ = [
    "EvidenceContract",
    "HasherContract",
    "SamplingHasherContract",
    "TaggerContract",
    "WeightingContract",
]
