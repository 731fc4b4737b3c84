"""The metric ``analysis-gain``: what do weights add to z, at one mean bias?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import stela_run
from pydantic import Field
from stela_run.intervals import mean_value

import stela_core as stela
from stela_analysis.expected_z import expected_z
from stela_analysis.resampling import ratio
from stela_analysis.texts import texts_of_kind


class GainParameters(stela.Parameters):
    """The texts, the model and the mark that a gain is computed for."""

    texts: Literal["human", "model"] = "human"
    """Human text, or the model's own without a mark."""
    model: str | None = None
    """Model whose distributions are taken; by default the one that wrote the texts."""
    delta: float = Field(1.0, gt=0, le=20)
    """Mean bias, in nats, of the marks that are compared."""


class Gain(stela_run.Metric[GainParameters]):
    """Expected z of a green list with the scheme's detection weights, and without.

    ``gain-uniform``: equal bias and equal weights (KGW). ``gain-detection``: the weights count at detection.
    ``gain-both``: the bias follows them, too (STELA), at the same mean. ``gain-ratio``: the last over the
    first.
    """

    name = "analysis-gain"
    attacked = False

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the model whose distributions are taken."""
        if self.parameters.model is not None:
            preflight.model(self.parameters.model)

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Means over texts with bootstrap intervals.

        Raises:
            StelaError: there is no such text, all weights are 0, or the model cannot be loaded.
        """
        chosen = self.parameters
        rows = texts_of_kind(sample, chosen.texts)
        evidences = [row.evidence for row in rows]
        if not any(evidence.weights.any() for evidence in evidences):
            raise stela.StelaError("no token has a weight.", "measure longer texts, or another scheme")
        prompts = [row.prompt for row in rows]
        z = expected_z(
            evidences,
            [row.text for row in rows],
            prompts if all(prompts) else None,
            sample.models.load(chosen.model or sample.model),
            sample.watermark.parts.hasher.law.share_above,
            chosen.delta,
            sample.temperature,
        )
        means = [
            mean_value(f"gain-{name}", np.asarray(z_).tolist(), sample.seed)
            for name, z_ in z._asdict().items()
        ]
        return [*means, ratio("gain-ratio", z.both, z.uniform, sample.seed)]
