"""Write ``web/detector/tables/schemas.json``: what a profile may say, as the page's program checks it.

    python plugins/stela-page/scripts/write_schemas.py

It is docs/profile.schema.json, and the parameters of the schemes, hashers and encoders that a page knows,
from their own models: what the page takes and refuses follows from what ``stela detect`` does. A rule that
the page's program (``web/detector/reading/schema.ts``) does not know ends this script.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stela_page.reproducible import BY_TAGS, BY_TEXT, BY_TOKEN, CODES, HASHERS, UNIFORM
from stela_tables.weightings import ValueWeighting

import stela_core as stela
from stela_core.api import resolve_scheme

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "plugins" / "stela-page" / "web" / "detector" / "tables" / "schemas.json"
PROFILE = ROOT / "docs" / "profile.schema.json"
SCHEMES = (*UNIFORM, *BY_TEXT, *BY_TOKEN, *BY_TAGS)

SPOKEN = frozenset({"title", "description"})
"""Keywords that say nothing of what is taken."""
KNOWN = frozenset(
    {"$defs", "$ref", "anyOf", "type", "const", "enum", "default", "format", "pattern"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "items", "maxItems"}
    | {"properties", "required", "additionalProperties"}
)
"""Keywords that the page's program knows."""


def rules(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema without what is said to people, in few bytes, for each page holds it.

    An object with properties is of type "object" and has no other ones; ``{"anyOf": [X, {"type": "null"}]}``
    is ``{"orNull": X}``. No type is said of what says which values there are, and no path of a definition.

    Raises:
        ValueError: it has a keyword that the page's program does not know.
    """
    unknown = set(schema) - SPOKEN - KNOWN
    if unknown:
        raise ValueError(f"web/detector/reading/schema.ts does not know {', '.join(sorted(unknown))}")
    kept: dict[str, Any] = {}
    implied = {"properties", "const", "enum"} | ({"format"} if schema.get("format") == "date" else set())
    for name, value in schema.items():
        if name in ("properties", "$defs"):
            kept[name] = {inner: rules(one) for inner, one in value.items()}
        elif name == "items":
            kept[name] = rules(value)
        elif name == "anyOf":
            if len(value) != 2 or value[1] != {"type": "null"}:
                raise ValueError(f"web/detector/reading/schema.ts knows no such choice: {value}")
            kept["orNull"] = rules(value[0])
        elif name == "additionalProperties":
            if bool(value) == ("properties" in schema):
                raise ValueError("web/detector/reading/schema.ts takes fields of all names, or known ones")
        elif name == "$ref":
            kept[name] = value.rpartition("/")[2]
        elif name not in SPOKEN and not (name == "type" and implied & set(schema)):
            kept[name] = value
    return kept


def parameters_of(model: type[stela.Parameters]) -> dict[str, Any]:
    """The rules for parameters."""
    return rules(model.model_json_schema())


def hasher(registry: stela.Registry, name: str) -> dict[str, Any]:
    """What the page has to know of a hasher."""
    made = registry.get(stela.Hasher, name)
    return told({"parameters": parameters_of(made.Parameters), "samples": made.samples})


def told(part: dict[str, Any]) -> dict[str, Any]:
    """The part without what is false or empty."""
    return {name: value for name, value in part.items() if value not in (False, None, {})}


def scheme(registry: stela.Registry, name: str) -> dict[str, Any]:
    """What the page has to know of a scheme; its evidence where that is weighed by another than its strength.

    Raises:
        ValueError: its parameters turn on what weighs the evidence of ``NAME+OTHER``.
    """
    parts = resolve_scheme(registry, name)
    parameters = parameters_of(parts.parameters)
    for other in SCHEMES:
        if parameters_of(resolve_scheme(registry, f"{name}+{other}").parameters) != parameters:
            raise ValueError(f"{name}+{other} has parameters that {name} does not have")
    same = parts.evidence is parts.strength
    return told(
        {
            "parameters": parameters,
            "before": parts.parameters.of_before(),
            "samples": issubclass(parts.scheme, stela.SamplingScheme),
            "strength": weighting(parts.strength),
            "evidence": None if same else weighting(parts.evidence),
        }
    )


def weighting(kind: type[stela.Weighting]) -> dict[str, Any]:
    """A weighting's name, and what its table is looked up by and may hold."""
    table: dict[str, Any] | None = None
    if issubclass(kind, ValueWeighting):
        table = {"key": kind.key, "quantities": sorted(kind.quantities)}
    elif kind.uses_table:
        table = {"key": "counts"}
    return told({"name": kind.name, "table": table, "token": "token" in kind.needs})


def number_in(known: list[Any], one: Any) -> int:
    """The place of something in a list, at whose end it is put where it is new."""
    if one not in known:
        known.append(one)
    return known.index(one)


def content() -> str:
    """The file."""
    registry = stela.create_registry()
    taken = {name: registry.get(stela.Encoder, name).Parameters for name in CODES}
    encoders = {
        name: {"parameters": parameters_of(one), "before": one.of_before()} for name, one in taken.items()
    }
    hashers = {name: hasher(registry, name) for name in HASHERS}
    schemes = {name: scheme(registry, name) for name in SCHEMES}
    models: list[Any] = []
    fields: list[Any] = []
    for part in (*hashers.values(), *schemes.values(), *encoders.values()):
        properties = part["parameters"].get("properties", {})
        numbers = {name: number_in(fields, field) for name, field in properties.items()}
        part["parameters"] = number_in(models, {**part["parameters"], "properties": numbers})
    profile = rules(json.loads(PROFILE.read_text(encoding="utf-8")))
    made = {
        "profile": profile,
        "fields": fields,
        "models": models,
        "encoders": encoders,
        "hashers": hashers,
        "schemes": schemes,
    }
    return json.dumps(made, indent=1) + "\n"


def main() -> int:
    OUT.write_text(content(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
