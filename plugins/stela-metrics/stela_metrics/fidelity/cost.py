"""The metric ``fidelity-cost``: what the mark costs, off the writing model's own distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import stela_run
from pydantic import Field
from stela_run.cost.places import cost_at, keys_for, places_of
from stela_run.intervals import mean_value

import stela_core as stela
from stela_metrics.fidelity.strength import require_marked

NAMES = ("divergence", "surprisal", "divergence-per-key")


class CostParameters(stela.Parameters):
    """Parameters of ``fidelity-cost``."""

    positions: int = Field(2, ge=1)
    """Sampled in each text; all where it has fewer tokens."""

    keys: int = Field(128, ge=16, le=65_536)
    """Drawn for each text, and used at each of its positions."""


class Cost(stela_run.Metric[CostParameters]):
    """What the mark does to the writing model's distribution p, in nats a token.

    Under a key the mark makes q_k of p, and q is the mean of q_k over keys. At positions sampled from the
    first ``length`` tokens of each marked text, after temperature:

    - ``divergence``: KL(q || p), what a reader of many texts could notice. The bias of a finite number of
      keys is removed (Miller 1955; :mod:`stela_run.cost.keyed_laws`), so a mark without distortion has 0,
      give or take, and may have less.
    - ``surprisal``: rise of E[-log p], that is of log-perplexity under the model itself.
    - ``divergence-per-key``: mean of KL(q_k || p), what a reader of many texts under one key could notice.

    A token that is not marked counts 0. Means over texts with 95 % bootstrap intervals. Greedy texts
    (temperature 0) have no values. Top-p is refused: a bias brings in tokens that p then lacks, and KL is
    infinite.
    """

    name = "fidelity-cost"
    Parameters = CostParameters
    attacked = False
    all_tokens = True

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Three values, or none.

        Raises:
            StelaError: the sample has no marked text, or the model cannot be loaded.
        """
        require_marked(sample)
        if sample.temperature == 0:
            return []
        texts = [one.generated for one in sample.marked if one.generated.token_ids]
        model = sample.models.load(sample.model)
        costs: list[list[tuple[float, ...]]] = [[] for _ in texts]
        for place in places_of(model, texts, sample.length, self.parameters.positions, sample.seed):
            keys = keys_for(sample.watermark, self.parameters.keys, sample.seed, place.text)
            costs[place.text].append(cost_at(sample.watermark, place, sample.temperature, keys))
        means = np.array([np.mean(of_text, axis=0) for of_text in costs])
        return [
            mean_value(name, column.tolist(), sample.seed)
            for name, column in zip(NAMES, means.T, strict=True)
        ]
