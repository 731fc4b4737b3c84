"""What the numbers are made of: word classes, freedom of choice, the null distribution."""

import stela_run

import stela_core as stela
from stela_analysis.classes import Classes
from stela_analysis.freedom import Freedom
from stela_analysis.gain import Gain
from stela_analysis.null import Null

__all__ = ["Classes", "Freedom", "Gain", "Null"]


@stela.hookimpl
def stela_register_metrics() -> list[type[stela_run.Metric]]:
    """Register the metrics."""
    return [Classes, Freedom, Gain, Null]
