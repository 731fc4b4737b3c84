"""For the tests of plugins: contracts of attacks and metrics, and a real sample to measure."""

from stela_run.testing.attacks import AttackContract
from stela_run.testing.metrics import MetricContract
from stela_run.testing.samples import make_sample
from stela_run.testing.texts import HUMAN, PROMPTS

__all__ = ["HUMAN", "PROMPTS", "AttackContract", "MetricContract", "make_sample"]
