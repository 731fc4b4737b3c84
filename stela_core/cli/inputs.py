"""Read prompts from JSON lines, with errors that name the file and the line."""

from __future__ import annotations

import io

from stela_core.builtin.json_lines import value_of
from stela_core.errors import StelaError
from stela_core.files.json_lines import HINT, numbered
from stela_core.files.stream import bounded_lines, opened
from stela_core.text.well_formed import (
    require_well_formed,
)


def read_jsonl(file: str, fields: tuple[str, ...]) -> list[tuple[int, str]]:
    """(line number, value) of the first of ``fields`` that each line's object has; ``-`` is standard input.

    Raises:
        StelaError: naming file and line.
    """
    wanted = " or ".join(f'"{field}"' for field in fields)
    texts: list[tuple[int, str]] = []
    with opened(file) as stream:
        for number, line in numbered(bounded_lines(io.BufferedReader(stream), file)):
            if not line.strip():
                continue
            where = f"{file}:{number}"
            record = value_of(line, where, HINT)
            values = [record[f] for f in fields if f in record] if isinstance(record, dict) else []
            if not values or not isinstance(values[0], str):
                raise StelaError(
                    f"{where} has no {wanted}.", f"each line is an object with a string {wanted}"
                )
            if not values[0]:
                raise StelaError(f"{where} has an empty {wanted}.", "take the line out")
            require_well_formed([values[0]], where)
            texts.append((number, values[0]))
    if not texts:
        raise StelaError(f"{file} is empty.", HINT)
    return texts
