"""An experiment without the schemes whose plugins are not installed."""

from __future__ import annotations

from stela_core import Registry, StelaError
from stela_core.api import resolve_scheme
from stela_run.plan.schema import Experiment


def with_installed_schemes(registry: Registry, experiment: Experiment) -> Experiment:
    """The experiment with the schemes that can be run here; the file may name more than is installed.

    Raises:
        StelaError: none of them is installed (says why the first is not).
    """
    kept, reasons = [], []
    for entry in experiment.schemes:
        try:
            resolve_scheme(registry, entry.name)
        except StelaError as error:
            reasons.append(error)
        else:
            kept.append(entry)
    if not kept:
        raise reasons[0]
    return experiment.model_copy(update={"schemes": kept}) if reasons else experiment
