"""The name of a model as an experiment file may give it."""

from __future__ import annotations

from typing import Any

from stela_models.hub import ON_THE_HUB, REVISION, locate_model

from stela_core import StelaError


def model_name(value: Any) -> Any:
    """A table of name and revision as ``NAME@REVISION``."""
    if isinstance(value, str):
        try:
            locate_model(value)
        except StelaError as error:
            raise ValueError(error.message) from None
    if not isinstance(value, dict):
        return value
    if not set(value) <= {"name", "revision"} or not all(isinstance(one, str) for one in value.values()):
        raise ValueError("write a name, or {name = NAME, revision = COMMIT OR TAG}")
    if "revision" not in value:
        return value.get("name")
    if not REVISION.fullmatch(value["revision"]):
        raise ValueError("a revision is a commit of 40 hex digits, or a tag")
    if not ON_THE_HUB.fullmatch(value.get("name", "")):
        raise ValueError("only a name on the Hub has a revision")
    return f"{value['name']}@{value['revision']}"
