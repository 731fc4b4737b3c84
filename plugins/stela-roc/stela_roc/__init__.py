"""Detection rates: ROC, F1 and TPR at nominal p-values, with bootstrap intervals."""

import stela_run

import stela_core as stela
from stela_roc.metric import Roc, RocParameters

__all__ = ["Roc", "RocParameters", "stela_register_metrics"]


@stela.hookimpl
def stela_register_metrics() -> type[stela_run.Metric]:
    """Register the metric."""
    return Roc
