"""What an experiment leaves open, filled in from the plugins that are installed."""

from __future__ import annotations

from stela_corpora import TextSource

from stela_core import Registry, StelaError
from stela_run.attack import Attack
from stela_run.metric import Metric
from stela_run.plan.schema import Experiment, Part


def with_metrics(registry: Registry, experiment: Experiment) -> Experiment:
    """The experiment with the metrics that it measures: its own, or where it names none those by default.

    An empty list in the file is a choice, too. With an expected z no text is marked, and none is a default.
    """
    if "metrics" in experiment.model_fields_set or experiment.expected:
        return experiment
    return experiment.model_copy(update={"metrics": [Part(name=name) for name in default_metrics(registry)]})


def with_key_per(registry: Registry, experiment: Experiment) -> Experiment:
    """The experiment with what its texts' keys are drawn by: its own choice, or the default.

    Raises:
        StelaError: each text shall have a separate key, and an attack learns from texts of one key.
    """
    learning = [
        attack.name
        for attack in experiment.attacks
        if registry.has(Attack, attack.name) and registry.get(Attack, attack.name).learns
    ]
    if learning and experiment.key_per == "text":
        raise StelaError(
            f'attack "{learning[0]}" learns from texts of one key, and key_per = "text" gives each its own.',
            'key_per = "seed"',
        )
    return experiment.model_copy(update={"key_per": experiment.key_per or ("seed" if learning else "text")})


def default_metrics(registry: Registry) -> list[str]:
    """Names of the installed metrics that are :attr:`Metric.by_default`: those of attacked texts first."""
    metrics = [registry.get(Metric, name) for name in registry.names(Metric)]
    chosen = sorted((one for one in metrics if one.by_default), key=lambda one: (not one.attacked, one.name))
    return [one.name for one in chosen]


def stand_in(registry: Registry) -> str | None:
    """The installed text source that stands in where no data is given; the first by name, or ``None``."""
    sources = registry.names(TextSource)
    return next((name for name in sources if registry.get(TextSource, name).stands_in), None)
