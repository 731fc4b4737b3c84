"""An attack with parameters, as an experiment makes it."""

from __future__ import annotations

from typing import Any

import stela_run

from stela_core.api import parse_parameters


def attack(kind: type[stela_run.Attack], **parameters: Any) -> stela_run.Attack:
    return kind(parse_parameters(kind.Parameters, parameters, kind.name))
