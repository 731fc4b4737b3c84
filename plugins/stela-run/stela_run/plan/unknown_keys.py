"""Misspelt keys of an experiment: all of them, each with the key that was meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from stela_core import StelaError
from stela_core.api import did_you_mean
from stela_run.plan.schema import Experiment, Language, SchemeEntry, TagSet

Place = tuple[str | int, ...]
"""Names and numbers that lead to a value of the experiment."""

HELP = "see docs/experiments.md for what may stand there"


class Unknown(NamedTuple):
    """A key that is not known where it stands."""

    place: Place
    meant: str | None
    """The key that it is close to, where that is not there."""
    mistake: StelaError


def unknown_keys(content: Mapping[str, Any], called: Callable[[Place], str]) -> list[Unknown]:
    """All keys that are not known, in the order of the file.

    Args:
        content: of the file, grids expanded.
        called: what a place is called in errors.
    """
    try:
        Experiment.model_validate(content)
    except ValidationError as error:
        wrong = [one["loc"] for one in error.errors() if one["type"] == "extra_forbidden"]
        return [_unknown(content, place, called(place)) for place in wrong]
    return []


def mended(content: dict[str, Any], unknown: Iterable[Unknown]) -> dict[str, Any]:
    """The content with each misspelt key under the name that was meant, or without it.

    So that the rest can be looked at as well; nothing is ever run of it.
    """
    for one in unknown:
        content = _changed(content, one.place, one.meant)
    return content


def known_at(place: Place) -> list[str]:
    """The keys that may stand next to this one."""
    if len(place) == 1:
        return [*Experiment.model_fields, "grid", "model"]
    if place[0] == "schemes":
        return list(SchemeEntry.model_fields)
    if place[0] == "languages":
        return list((TagSet if "tagsets" in place[2:-1] else Language).model_fields)
    return []


def _unknown(content: Mapping[str, Any], place: Place, called: str) -> Unknown:
    known = known_at(place)
    hint = did_you_mean(str(place[-1]), known) if known else HELP
    close = difflib.get_close_matches(str(place[-1]).lower(), sorted(known), n=1, cutoff=0.5)
    beside: Any = content
    for part in place[:-1]:
        beside = beside[part]
    meant = close[0] if close and close[0] not in beside else None
    return Unknown(place, meant, StelaError(f'unknown key "{called}".', hint))


def _changed(value: Any, place: Place, name: str | None) -> Any:
    """A copy in which the key at the place has another name, or is not there."""
    here, *rest = place
    if isinstance(value, list):
        return [_changed(one, tuple(rest), name) if n == here else one for n, one in enumerate(value)]
    if rest:
        return {key: _changed(of, tuple(rest), name) if key == here else of for key, of in value.items()}
    return {name if key == here else key: of for key, of in value.items() if key != here or name is not None}
