"""A language model behind a chat endpoint: it compares marked with unmarked text, or rewrites texts."""

import stela_run

import stela_core as stela
from stela_metrics.judge.metric import Judge
from stela_metrics.judge.rewriting import Rewrite

__all__ = ["Judge", "Rewrite"]


@stela.hookimpl
def stela_register_metrics() -> type[stela_run.Metric]:
    """Register the metric."""
    return Judge


@stela.hookimpl
def stela_register_attacks() -> type[stela_run.Attack]:
    """Register the attack."""
    return Rewrite
