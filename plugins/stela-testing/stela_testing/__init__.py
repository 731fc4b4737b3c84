"""Contracts that plugins' tests subclass, and the command in process."""

from stela_testing.choices import SamplingHasherContract
from stela_testing.command import Finished, assert_refused, run_cli
from stela_testing.evidence import EvidenceContract
from stela_testing.green_lists import GreenListContract
from stela_testing.scorers import ScorerContract
from stela_testing.taggers import TaggerContract
from stela_testing.weightings import WeightingContract

__all__ = [
    "EvidenceContract",
    "Finished",
    "GreenListContract",
    "SamplingHasherContract",
    "ScorerContract",
    "TaggerContract",
    "WeightingContract",
    "assert_refused",
    "run_cli",
]
