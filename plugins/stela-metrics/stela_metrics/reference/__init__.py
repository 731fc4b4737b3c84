"""Marked text against reference text after the same prompt: BLEU, chrF, ROUGE, BERTScore and MAUVE."""

import stela_run

import stela_core as stela
from stela_metrics.reference.bertscore import BertScore, BertScoreParameters
from stela_metrics.reference.mauve import Mauve, MauveParameters
from stela_metrics.reference.overlap import Bleu, Chrf, Rouge

__all__ = [
    "BertScore",
    "BertScoreParameters",
    "Bleu",
    "Chrf",
    "Mauve",
    "MauveParameters",
    "Rouge",
    "stela_register_metrics",
]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Bleu, Chrf, Rouge, BertScore, Mauve]
