"""Contracts that plugins' tests subclass, and the command in process."""

from stela_core.testing.choices import ChoiceContract
from stela_core.testing.command import Finished, assert_refused, run_cli
from stela_core.testing.encoders import EncoderContract
from stela_core.testing.evidence import EvidenceContract
from stela_core.testing.green_lists import GreenListContract
from stela_core.testing.scorers import ScorerContract
from stela_core.testing.taggers import TaggerContract
from stela_core.testing.weightings import WeightingContract

HasherContract, SamplingHasherContract = GreenListContract, ChoiceContract
"""Under their names of before."""

__all__ = [
    "ChoiceContract",
    "EncoderContract",
    "EvidenceContract",
    "Finished",
    "GreenListContract",
    "HasherContract",
    "SamplingHasherContract",
    "ScorerContract",
    "TaggerContract",
    "WeightingContract",
    "assert_refused",
    "run_cli",
]
