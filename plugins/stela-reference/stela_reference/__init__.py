"""Marked text against reference text after the same prompt: BLEU and chrF."""

import stela_run

import stela_core as stela
from stela_reference.overlap import Bleu, Chrf

__all__ = ["Bleu", "Chrf", "stela_register_metrics"]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Bleu, Chrf]
