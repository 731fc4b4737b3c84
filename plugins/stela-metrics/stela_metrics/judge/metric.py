"""The metric ``judge``."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import stela_run

import stela_core as stela
from stela_metrics.judge.asking import reach
from stela_metrics.judge.endpoint import PIP
from stela_metrics.judge.pairs import judge_pairs, pairs_of
from stela_metrics.judge.parameters import JudgeParameters
from stela_metrics.judge.summary import summarise


class Judge(stela_run.Metric[JudgeParameters]):
    """Is the marked text worse? A language model says which of two texts of one prompt is better.

    Each pair is shown in both orders, as judges favour a place (Zheng et al., NeurIPS 2023; Wang et al.,
    ACL 2024). Measured on texts that were not attacked.
    """

    name = "judge"
    attacked = False

    @classmethod
    def status(cls) -> stela.Status:
        """Whether httpx is installed; the endpoint is not asked."""
        return stela.Status() if find_spec("httpx") else stela.Status(False, f"pip install {PIP}")

    def check(self, preflight: stela_run.Preflight) -> None:
        """Find out that the endpoint is there and takes the key.

        Raises:
            StelaError: it cannot be reached, or refuses the key.
        """
        reach(self.parameters, "judge")

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Win rate, ties, disagreement of the orders, position bias: see :mod:`stela_metrics.judge.summary`.

        Raises:
            StelaError: no prompt has both texts, the endpoint cannot be reached or refuses, or no answer
                holds a verdict.
        """
        pairs = pairs_of(sample, self.parameters.most)
        if not pairs:
            raise stela.StelaError(
                "there is no prompt with both a marked and an unmarked text.",
                "generate more texts, or judge a shorter length",
            )
        return summarise(judge_pairs(pairs, self.parameters))
