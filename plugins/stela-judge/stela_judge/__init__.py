"""Marked against unmarked text, compared in pairs by a language model behind a chat endpoint."""

import stela_run

import stela_core as stela
from stela_judge.metric import Judge

__all__ = ["Judge"]


@stela.hookimpl
def stela_register_metrics() -> type[stela_run.Metric]:
    """Register the metric."""
    return Judge
