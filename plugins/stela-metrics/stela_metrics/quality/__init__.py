"""Quality of text: perplexity under another model, diversity, repetition, texts of one prompt."""

import stela_run

import stela_core as stela
from stela_metrics.quality.perplexity import Perplexity, PerplexityParameters
from stela_metrics.quality.samples import Samples, SamplesParameters
from stela_metrics.quality.variety import Diversity, Repetition

__all__ = [
    "Diversity",
    "Perplexity",
    "PerplexityParameters",
    "Repetition",
    "Samples",
    "SamplesParameters",
    "stela_register_metrics",
]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Perplexity, Diversity, Repetition, Samples]
