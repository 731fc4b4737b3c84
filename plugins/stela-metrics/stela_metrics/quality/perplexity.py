"""The metric ``quality-perplexity``."""

from __future__ import annotations

import math
from collections.abc import Sequence

import stela_run
from pydantic import Field
from stela_run.intervals import mean_value

import stela_core as stela
from stela_metrics.quality.likelihood import Likelihood, remembered
from stela_metrics.quality.pairs import Pair, marked_of, others_of


class PerplexityParameters(stela.Parameters):
    """Parameters of ``quality-perplexity``."""

    model: str = Field(min_length=1)
    """The model that judges: alias, folder or hub name. Not the one that wrote the texts, which finds
    its own choices likely."""


class Perplexity(stela_run.Metric[PerplexityParameters]):
    """Perplexity of texts under another model, after their prompts.

    A text's perplexity is ``exp`` of the mean negative log-likelihood of its tokens, those of the model
    that judges. With ``l`` for that mean:

    - ``perplexity``, ``perplexity:unmarked``, ``perplexity:human``: ``exp`` of the mean of ``l`` over
      texts (the geometric mean of their perplexities, which a few odd texts do not rule).
    - ``nats-per-character``, and the same kinds: negative log-likelihood over characters, meaned over
      texts: figures of judges with other tokenizers compare.
    - ``log-perplexity-difference``: mean of ``l(marked) - l(unmarked)`` over the prompts that have both,
      in nats: what the mark costs. 0.1 is a perplexity 10.5 % higher.

    Intervals are 95 % bootstrap over texts (over prompts for the difference).
    """

    name = "quality-perplexity"

    def check(self, preflight: stela_run.Preflight) -> None:
        """Look for the model that judges."""
        preflight.model(self.parameters.model)

    def measure(self, sample: stela_run.Sample) -> Sequence[stela_run.Value]:
        """Values in the order above.

        Raises:
            StelaError: there is no marked text, or the model cannot be loaded.
        """
        marked = self._judged(sample, marked_of(sample))
        others = {kind: self._judged(sample, pairs) for kind, pairs in others_of(sample).items()}
        values: list[stela_run.Value] = []
        for kind, judged in {"": marked, **others}.items():
            suffix = f":{kind}" if kind else ""
            rates = [one.per_token for _, one in judged]
            mean = mean_value(f"perplexity{suffix}", rates, sample.seed)._replace(each=tuple(rates))
            values.append(_exponential(mean))
            rates = [one.per_character for _, one in judged]
            values.append(mean_value(f"nats-per-character{suffix}", rates, sample.seed))
        plain = {pair.prompt: one.per_token for pair, one in others.get("unmarked", [])}
        differences = [one.per_token - plain[pair.prompt] for pair, one in marked if pair.prompt in plain]
        if differences:
            values.append(mean_value("log-perplexity-difference", differences, sample.seed))
        return values

    def _judged(self, sample: stela_run.Sample, pairs: Sequence[Pair]) -> list[tuple[Pair, Likelihood]]:
        judged = remembered(sample.models, self.parameters.model, pairs)
        return [(pair, one) for pair, one in zip(pairs, judged, strict=True) if one is not None]


def _exponential(value: stela_run.Value) -> stela_run.Value:
    """``exp`` of a mean and of the ends of its interval."""
    low, high = (None if end is None else math.exp(end) for end in (value.low, value.high))
    each = None if value.each is None else tuple(map(math.exp, value.each))
    return value._replace(value=math.exp(value.value), low=low, high=high, each=each)
