"""The parameter by which a pilot sets how strong a scheme is."""

from __future__ import annotations

from typing import NamedTuple

from stela_core import Registry, SamplingScheme, Scheme, StelaError
from stela_core.api import resolve_scheme
from stela_run.cost.pilot import MOST
from stela_run.plan.schema import SchemeEntry

DECLARED = "strength_range"
"""Attribute of a scheme's class: its parameter, the value at which the mark costs nothing, and the strongest
one, which may be the smaller. A fourth item names the one aim that the parameter can reach."""


class Knob(NamedTuple):
    """A parameter of a scheme, and its range."""

    parameter: str
    weakest: float
    """The mark costs nothing there."""
    strongest: float
    """More cannot be had; where it is below the weakest, less of the parameter marks more."""
    aim: str | None = None
    """The one quantity that it can be set by; ``None`` for any."""


DELTA = Knob("delta", 0.0, MOST)


def knob_of(registry: Registry, entry: SchemeEntry) -> Knob:
    """The knob of an entry's pilot: ``delta``, or what the scheme declares where delta is given or missing.

    Raises:
        StelaError: there is none, or it cannot be set by what the entry asks for.
    """
    parts = resolve_scheme(registry, entry.name)
    declared = getattr(parts.scheme, DECLARED, None)
    asked = str(entry.piloted)
    words = asked.replace("_", " ")
    if "delta" in parts.parameters.model_fields and entry.given_delta is None:
        return DELTA
    if declared is None and entry.given_delta is not None:
        raise StelaError(f'scheme "{entry.name}" has a delta, which sets its {words}.', f"take {asked} out")
    if declared is None:
        raise StelaError(
            f'scheme "{entry.name}" has no delta to set its {words} by.',
            f"take {asked} out, and choose its own parameters",
        )
    knob = Knob(*declared)
    if not _reaches(knob, parts.scheme, asked):
        raise StelaError(
            f'the {knob.parameter} of scheme "{entry.name}" does not set its {words}.', f"take {asked} out"
        )
    return knob


def _reaches(knob: Knob, scheme: type[Scheme], aim: str) -> bool:
    if aim == "tpr" or (aim == "mean_bias" and issubclass(scheme, SamplingScheme)):
        return False
    return knob.aim in (None, aim)
