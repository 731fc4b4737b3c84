"""Files that begin with a line of JSON and go on with numbers: reading the line, and cutting the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from pydantic import BaseModel, ValidationError

from stela_core import StelaError
from stela_core.api import describe, parse_json

LONGEST = 4096
"""Bytes of the line."""

H = TypeVar("H", bound=BaseModel)


def read_head(data: bytes, kind: type[H], what: str, hint: str) -> tuple[H, bytes]:
    """The first line, and what follows.

    Args:
        data: of the file.
        kind: what the line holds.
        what: names the file in errors.
        hint: what to do where it is not of the format.

    Raises:
        StelaError: the line is not what ``kind`` says.
    """
    line, _, body = data.partition(b"\n")
    try:
        return kind.model_validate(parse_json(line[:LONGEST], what, hint)), body
    except ValidationError as error:
        raise StelaError(f"{what}: {describe(error)}.", hint) from None


def parts_of(body: bytes, sizes: Sequence[int], what: str, hint: str) -> list[bytes]:
    """The parts of these sizes, in bytes, that make up the rest of a file.

    Raises:
        StelaError: it has more bytes, or fewer.
    """
    if len(body) != sum(sizes):
        raise StelaError(f"{what} has {len(body)} bytes of numbers, not {sum(sizes)}.", hint)
    return [body[start:end] for start, end in pairwise(np.cumsum([0, *sizes]).tolist())]
