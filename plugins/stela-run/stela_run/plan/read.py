"""Read an experiment file: TOML, grids expanded, errors that name the key."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stela_core import StelaError
from stela_core.api import read_bounded
from stela_run.plan.schema import Experiment
from stela_run.plan.unknown_keys import HELP, Place, mended, unknown_keys

MAX_BYTES = 1 << 20


class ExperimentError(StelaError):
    """Everything that is wrong with the keys of an experiment; as one error it says how many more there are.

    Args:
        mistakes: one or more.
        mended: the experiment as it may be meant, where that is clear; to look for other mistakes.
    """

    def __init__(self, mistakes: list[StelaError], mended: Experiment | None) -> None:
        first, more = mistakes[0], len(mistakes) - 1
        super().__init__(first.message, f"{first.hint} (and {more} more mistakes)" if more else first.hint)
        self.mistakes = mistakes
        self.mended = mended


def read_experiment(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Experiment:
    """The experiment of a file.

    Args:
        path: a TOML file.
        overrides: keys of the top level to put in place of the file's.

    Raises:
        StelaError: it is missing or no TOML.
        ExperimentError: keys are unknown or wrong.
    """
    try:
        data = read_bounded(path, MAX_BYTES, f'experiment "{path}"', "check the path, give a TOML file")
        content = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise StelaError(f'experiment "{path}" cannot be read: {error}.', "give a TOML file") from None
    except (ValueError, RecursionError) as error:  # too many digits, too deep
        raise StelaError(f'experiment "{path}" is not TOML: {error}.', "correct the line") from None
    if overrides and "models" in overrides:
        content.pop("model", None)
    return parse_experiment({**content, **(overrides or {})}, f'experiment "{path}"')


def parse_experiment(content: Mapping[str, Any], source: str) -> Experiment:
    """The experiment of a dictionary; ``source`` names it in errors.

    Raises:
        ExperimentError: keys are unknown or wrong.
    """
    content = dict(content)
    grids = content.pop("grid", [])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise StelaError(f"{source}: grid is not a list of tables.", "write [[grid]]")
    schemes = content.get("schemes", [])
    origins: list[Place] = []
    if grids and isinstance(schemes, list):
        origins = [("schemes", number) for number in range(len(schemes))]
        content["schemes"] = list(schemes)
        for number, grid in enumerate(grids):
            entries = list(expand(grid))
            content["schemes"] += entries
            origins += [("grid", number)] * len(entries)

    def called(place: Place) -> str:
        own = place[0] == "schemes" and len(place) > 1 and origins
        return ".".join(map(str, (*origins[int(place[1])], *place[2:]) if own else place))

    unknown = unknown_keys(content, called)
    mistakes = {
        str(one.mistake): StelaError(f"{source}: {one.mistake.message}", one.mistake.hint) for one in unknown
    }
    experiment = None
    try:
        experiment = Experiment.model_validate(mended(content, unknown))
    except ValidationError as error:
        for one in error.errors():
            wrong = StelaError(f"{source}: {_describe(one, called)}", HELP)
            mistakes.setdefault(str(wrong), wrong)
    if experiment is None or mistakes:
        raise ExperimentError(list(mistakes.values()), experiment) from None
    return experiment


LISTS = frozenset({"languages"})
"""Keys of a scheme whose value is a list itself."""


def expand(grid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each list of a grid, in tables within it too, stands for its elements one by one: their product.

    The last key varies fastest. A list of lists keeps the inner ones.
    """
    choices = [_choices(key, value) for key, value in grid.items()]
    for chosen in product(*choices):
        yield dict(zip(grid, chosen, strict=True))


def _choices(key: str, value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(expand(value))
    if isinstance(value, list) and not (key in LISTS and all(isinstance(v, str) for v in value)):
        return value
    return [value]


def _describe(wrong: Any, called: Callable[[Place], str]) -> str:
    """One of pydantic's errors as ``KEY: what is wrong (got VALUE).``"""
    where = called(wrong["loc"]) if wrong["loc"] else ""
    message = wrong["msg"].removeprefix("Value error, ")
    given = "" if isinstance(wrong.get("input"), dict) else f" (got {wrong.get('input')!r:.60})"
    return f"{where}: {message[:1].lower()}{message[1:]}{given}." if where else f"{message}."
