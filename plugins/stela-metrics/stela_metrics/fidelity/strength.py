"""The metrics ``fidelity-bias`` and ``fidelity-speed``: what was done at generation, and what it took."""

from __future__ import annotations

import math
from collections.abc import Sequence

import stela_run
from stela_run.intervals import mean_value

import stela_core as stela


def require_marked(sample: stela_run.Sample) -> None:
    """Check that there is something to measure.

    Raises:
        StelaError: the sample has no marked text.
    """
    if not sample.marked:
        raise stela.StelaError(
            f"no marked text has {sample.length} tokens.", "use more texts, or a smaller length"
        )


class Bias(stela_run.Metric):
    """``bias``: mean bias on green logits (nats) over the first ``length`` generated tokens of each text.

    A token that was not marked counts 0. Where texts are not cut it is ``Generated.mean_bias``. Mean over
    texts, with its 95 % bootstrap interval. A mark that chooses tokens is not a bias, and has no value.
    """

    name = "fidelity-bias"
    attacked = False
    by_default = True

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """One value, or none.

        Raises:
            StelaError: the sample has no marked text.
        """
        require_marked(sample)
        if sample.watermark.parts.hasher.samples:
            return []
        scale = sample.watermark.parts.bias_per_weight
        means = []
        for one in sample.marked:
            applied = [(weight or 0.0) * scale for weight in one.generated.weights[: sample.length]]
            means.append(math.fsum(applied) / len(applied) if applied else 0.0)
        return [mean_value("bias", means, sample.seed)]


class Speed(stela_run.Metric):
    """Time of generation: ``seconds-per-token``, ``seconds-per-token:plain``, and ``slowdown``, their ratio.

    Of whole runs over all prompts, on a machine that may do other things: one measurement each, no
    interval. What was not timed is left out.
    """

    name = "fidelity-speed"
    timed = True
    attacked = False

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Seconds a token with and without a mark, and their ratio: up to three values.

        Raises:
            StelaError: neither generation was timed.
        """
        times = {
            "seconds-per-token": sample.seconds_per_token,
            "seconds-per-token:plain": sample.plain_seconds_per_token,
        }
        values = [stela_run.Value(name, time) for name, time in times.items() if math.isfinite(time)]
        if not values:
            raise stela.StelaError("generation was not timed.", "generate the texts anew")
        if len(values) == 2 and sample.plain_seconds_per_token > 0:
            ratio = sample.seconds_per_token / sample.plain_seconds_per_token
            values.append(stela_run.Value("slowdown", ratio))
        return values
