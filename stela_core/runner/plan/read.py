"""Read an experiment file: TOML, grids expanded, errors that name the key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stela_core.errors import StelaError, did_you_mean
from stela_core.files.bounded import MEBIBYTE, read_bounded
from stela_core.runner.plan.schema import Experiment, SchemeEntry

MAX_BYTES = MEBIBYTE
HELP = "see docs/experiments.md for what may stand there"


def read_experiment(path: str | Path, overrides: Mapping[str, Any] | None = None) -> Experiment:
    """The experiment of a file.

    Args:
        path: a TOML file.
        overrides: keys of the top level to put in place of the file's.

    Raises:
        StelaError: it is missing or no TOML, or a key is unknown or wrong.
    """
    try:
        data = read_bounded(path, MAX_BYTES, f'experiment "{path}"', "check the path, give a TOML file")
        content = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise StelaError(f'experiment "{path}" cannot be read: {error}.', "give a TOML file") from None
    except (ValueError, RecursionError) as error:  # too many digits, too deep
        raise StelaError(f'experiment "{path}" is not TOML: {error}.', "mend the line") from None
    if overrides and "models" in overrides:
        content.pop("model", None)
    return parse_experiment({**content, **(overrides or {})}, f'experiment "{path}"')


def parse_experiment(content: Mapping[str, Any], source: str) -> Experiment:
    """The experiment of a dictionary; ``source`` names it in errors.

    Raises:
        StelaError: a key is unknown or wrong.
    """
    content = dict(content)
    grids = content.pop("grid", [])
    if not isinstance(grids, list) or not all(isinstance(grid, dict) for grid in grids):
        raise StelaError(f"{source}: grid is not a list of tables.", "write [[grid]]")
    schemes = content.get("schemes", [])
    if grids and isinstance(schemes, list):
        content["schemes"] = [*schemes, *(entry for grid in grids for entry in expand(grid))]
    try:
        return Experiment.model_validate(content)
    except ValidationError as error:
        raise StelaError(f"{source}: {_describe(error)}", _hint(error)) from None


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


def _first(error: ValidationError) -> Any:
    """A misspelt key before the one that is then missing."""
    return min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")


def _describe(error: ValidationError) -> str:
    first = _first(error)
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        return f'unknown key "{where}".'
    given = "" if isinstance(first.get("input"), dict) else f" (got {first.get('input')!r:.60})"
    return f"{where}: {message[:1].lower()}{message[1:]}{given}." if where else f"{message}."


def _hint(error: ValidationError) -> str:
    first = _first(error)
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        return did_you_mean(str(first["loc"][0]), [*Experiment.model_fields, "grid", "model"])
    if first["type"] == "extra_forbidden" and first["loc"][0] == "schemes":
        return did_you_mean(str(first["loc"][-1]), SchemeEntry.model_fields)
    return HELP
