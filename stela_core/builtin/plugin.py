"""The core's own parts, registered through the same hooks as everyone's."""

from __future__ import annotations

from stela_core.hookspecs import hookimpl
from stela_core.interfaces import Mark, Scorer, Weighting


@hookimpl
def stela_register_hashers() -> type[Mark]:
    """The portable keyed hash."""
    from stela_core.builtin.hashers import KeyedHasher

    return KeyedHasher


@hookimpl
def stela_register_weightings() -> type[Weighting]:
    """Every token alike."""
    from stela_core.builtin.weightings import Uniform

    return Uniform


@hookimpl
def stela_register_scorers() -> type[Scorer]:
    """Grouped pairs, exact tail."""
    from stela_core.builtin.scorers import GroupedScorer

    return GroupedScorer
