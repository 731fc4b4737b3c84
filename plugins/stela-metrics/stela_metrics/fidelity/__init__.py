"""Fidelity of a mark: bias applied, cost, tokens and weights that detection gets back, time it takes."""

import stela_run

import stela_core as stela
from stela_metrics.fidelity.agreement import Contexts, Retokenisation
from stela_metrics.fidelity.cost import Cost, CostParameters
from stela_metrics.fidelity.message import MessageRead
from stela_metrics.fidelity.strength import Bias, Speed

__all__ = [
    "Bias",
    "Contexts",
    "Cost",
    "CostParameters",
    "MessageRead",
    "Retokenisation",
    "Speed",
    "stela_register_metrics",
]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Bias, Cost, MessageRead, Retokenisation, Contexts, Speed]
