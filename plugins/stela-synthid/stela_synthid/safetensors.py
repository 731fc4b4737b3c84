"""Tensors of a safetensors file as arrays: a length, a JSON header, and numbers one after the other.

The format is that of https://github.com/huggingface/safetensors, "Format"; no more of it is needed here than
the few small tensors of a detector, so no library is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import stela_core as stela
from stela_core.api import parse_json, read_bounded

LIMIT = 1 << 20
"""Bytes of a file: 64 layers need 17 kB."""

TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
HINT = "name the folder that BayesianDetectorModel.save_pretrained wrote"


def read_tensors(path: Path) -> dict[str, npt.NDArray[np.float64]]:
    """All tensors of a file, by name, as float64.

    Raises:
        stela.StelaError: the file is missing, too long, or no such file.
    """
    what = f'detector "{path}"'
    data = read_bounded(path, LIMIT, what, HINT)
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > len(data) - 8:
        raise stela.StelaError(f"{what} is not a safetensors file.", HINT)
    header = parse_json(data[8 : 8 + length], what, HINT)
    if not isinstance(header, dict):
        raise stela.StelaError(f"{what} is not a safetensors file.", HINT)
    body = data[8 + length :]
    entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
    try:
        return {name: _tensor(entry, body) for name, entry in entries.items()}
    except (KeyError, TypeError, ValueError):
        raise stela.StelaError(f"{what} is corrupt.", HINT) from None


def _tensor(entry: dict[str, Any], body: bytes) -> npt.NDArray[np.float64]:
    start, end = entry["data_offsets"]
    if not 0 <= start <= end <= len(body):
        raise ValueError("offsets outside of the file")
    numbers = np.frombuffer(body[start:end], dtype=TYPES[entry["dtype"]])
    return numbers.astype(np.float64).reshape(entry["shape"])
