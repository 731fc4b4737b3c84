"""An experiment as TOML that ``stela run`` takes."""

from __future__ import annotations

import json
import re
from typing import Any


def to_toml(experiment: dict[str, Any]) -> str:
    """The text of an experiment's dictionary; what is not set (``None``) is left out, as TOML has no null."""
    lines = []
    tables = []
    for key, value in experiment.items():
        if isinstance(value, dict) and key == "languages":
            tables += [_table(f"[{key}.{_key(name)}]", of) for name, of in value.items()]
        elif isinstance(value, list) and key == "schemes":
            tables += [_table(f"[[{key}]]", of) for of in value]
        elif value is not None:
            lines.append(f"{_key(key)} = {_value(value)}")
    return "\n".join(["\n".join(lines), *tables]) + "\n"


def _table(head: str, content: dict[str, Any]) -> str:
    lines = [f"{_key(key)} = {_value(value)}" for key, value in content.items() if _set(value)]
    return "\n".join(["", head, *lines])


def _set(value: Any) -> bool:
    return value is not None and value != {}


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_value(of)}" for key, of in value.items() if of is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)
