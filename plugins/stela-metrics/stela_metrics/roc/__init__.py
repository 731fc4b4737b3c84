"""Detection rates (ROC, F1, TPR at nominal p-values) and tokens needed; marked passages in long documents."""

import stela_run

import stela_core as stela
from stela_metrics.roc.metric import Roc, RocParameters
from stela_metrics.roc.passages import Passages, PassagesParameters, PassagesSeconds
from stela_metrics.roc.size import Size, SizeParameters

__all__ = [
    "Passages",
    "PassagesParameters",
    "PassagesSeconds",
    "Roc",
    "RocParameters",
    "Size",
    "SizeParameters",
    "stela_register_metrics",
]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Roc, Size, Passages, PassagesSeconds]
