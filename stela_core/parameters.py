"""Parameters of components: typed, validated models whose errors read as one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import to_json
from typing_extensions import TypeVar

from stela_core.errors import StelaError, did_you_mean


class Parameters(BaseModel):
    """Base of every component's parameters: immutable, unknown names refused, no silent conversion.

    A class is built when something is first validated by it: many are imported, and few are used.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)

    BEFORE: ClassVar[Mapping[str, Any]] = {}
    """Values of parameters that are younger than the first profiles, for profiles that do not name them. The
    default may then be a better one, and old profiles keep their numbers."""

    @classmethod
    def of_before(cls) -> dict[str, Any]:
        """All ``BEFORE`` of this class and its bases."""
        values: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            values.update(vars(base).get("BEFORE", {}))
        return values


PAGES = {
    "attack": "attacks",
    "executor": "experiments",
    "encoder": "payload",
    "metric": "metrics",
    "tagger": "languages",
}
"""Pages that list the parameters of components, by the first word of their owner; all others: schemes."""

P = TypeVar("P", bound=BaseModel)

P_co = TypeVar("P_co", bound=Parameters, default=Parameters, covariant=True)
"""Parameters of an interface: their class, which nobody changes; ``Parameters`` where none is named."""


def parse_parameters(model: type[P], values: Mapping[str, Any], owner: str, read: bool = False) -> P:
    """Validate ``values`` as ``model``.

    Args:
        model: of the owner's parameters.
        values: by name.
        owner: named in errors.
        read: they were read from JSON: nothing is converted, no text to a number and no ``true`` to 1.

    Raises:
        StelaError: naming the owner (``scheme "kgw"``), the parameter and what is wrong with it.
    """
    for name in sorted(set(values) - set(model.model_fields)):
        raise StelaError(f'{owner} has no parameter "{name}".', did_you_mean(name, model.model_fields))
    try:
        if read:
            return model.model_validate_json(to_json(_whole(dict(values))), strict=True)
        return model.model_validate(dict(values))
    except ValidationError as error:
        page = PAGES.get(owner.partition(" ")[0], "schemes")
        raise StelaError(f"{owner}: {describe(error)}", f"see docs/{page}.md for the parameters") from None


def _whole(value: Any) -> Any:
    """A JSON value with ``8`` for each ``8.0``, which are one number to other readers."""
    if isinstance(value, Mapping):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def describe(error: ValidationError, number: int = 0) -> str:
    """The first problem that pydantic found, or another, as ``name: what is wrong (got value)``."""
    one = error.errors()[number]
    what = f"{one['msg'][:1].lower()}{one['msg'][1:]}"
    return f"{'.'.join(map(str, one['loc'])) or 'value'}: {what} (got {repr(one.get('input'))[:60]})"
