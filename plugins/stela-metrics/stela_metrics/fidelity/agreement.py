"""The metrics ``fidelity-retokenisation`` and ``fidelity-contexts``: does detection see what was done?"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import stela_run
from stela_run.intervals import mean_value

from stela_core.api import Composition
from stela_metrics.fidelity.spans import lost_share
from stela_metrics.fidelity.strength import require_marked

EXACT = 1e-9
ROUNDED = 1e-4
"""Relative difference of weights that are the same: those read off a model's logits are rounded, and
detection runs it on other batches than generation did."""


class Retokenisation(stela_run.Metric):
    """How far the tokens of the text are not those that were generated.

    The whole generated text is decoded and tokenised again. Of its first ``length`` generated ids,

    - ``retokenised`` is the share that is lost: no token of the new ids is the same id for the same
      characters. Mean over texts, with its 95 % bootstrap interval.
    - ``retokenised:texts`` is the share of texts that lost any.
    """

    name = "fidelity-retokenisation"
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Two values.

        Raises:
            StelaError: the sample has no marked text.
        """
        require_marked(sample)
        tokens = sample.watermark.tokens
        rows = [one.generated.token_ids for one in sample.marked if one.generated.token_ids]
        encoded = sample.watermark.detector.ids_of([tokens.decode(row) for row in rows])
        lost = [
            lost_share(row, again, tokens, sample.length) for row, again in zip(rows, encoded, strict=True)
        ]
        return [
            mean_value("retokenised", lost, sample.seed),
            mean_value("retokenised:texts", [float(share > 0) for share in lost], sample.seed),
        ]


class Contexts(stela_run.Metric):
    """``context-agreement``: share of scored tokens that are weighed as they were at insertion.

    A scored token of the text agrees if a generated token begins at the same character (as a weight is a
    function of the text before a token) and was given the same strength weight. A token that begins
    where no generated one did does not agree. Mean over texts, with its 95 % bootstrap interval.

    There is no value for a scheme whose evidence is not its strength: another weighting (MorphMark, whose
    weights are biases; EWD, which marks alike), or one that looks at the whole text. Weights read off
    the model's logits (SWEET) agree if they differ by less than 1e-4 of the larger.
    """

    name = "fidelity-contexts"
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """One value, or none.

        Raises:
            StelaError: there is no marked text with a scored token.
        """
        require_marked(sample)
        parts = sample.watermark.parts
        if not comparable(parts):
            return []
        tolerance = ROUNDED if "logits" in parts.evidence.needs else EXACT
        shares = [agreement(one, sample, tolerance) for one in sample.marked if one.detection.scored_tokens]
        return [mean_value("context-agreement", shares, sample.seed)]


def comparable(parts: Composition) -> bool:
    """Whether weights of strength and evidence are the same function of the text before a token."""
    return type(parts.strength) is type(parts.evidence) and not parts.evidence.reads_whole_text


def agreement(one: stela_run.Marked, sample: stela_run.Sample, tolerance: float) -> float:
    """Share of the scored tokens of a text that agree, in [0, 1]."""
    tokens = sample.watermark.tokens
    applied: dict[int, list[float]] = defaultdict(list)
    _, starts = tokens.text_and_ends(one.generated.token_ids)
    for start, weight in zip(starts, one.generated.weights, strict=True):
        if weight is not None:
            applied[start].append(weight)
    evidence = one.detection.evidence
    _, starts = tokens.text_and_ends(evidence.ids)
    agreeing = 0
    for position, weight in zip(evidence.positions.tolist(), evidence.weights.tolist(), strict=True):
        there = applied.get(starts[position], [])
        agreeing += any(math.isclose(weight, given, rel_tol=tolerance, abs_tol=EXACT) for given in there)
    return agreeing / len(evidence.positions)
