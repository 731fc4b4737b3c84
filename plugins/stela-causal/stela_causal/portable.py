"""A causal tagger as one file for readers in other languages.

The first line is JSON, the rest are the model's weights as they are on disk: 16-bit floats, little-endian, in
the order of :meth:`stela_causal.word_files.Description.shapes`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import metadata, packages_distributions
from pathlib import Path

from stela_causal.code_points import WHITE_SPACE
from stela_causal.word_files import DESCRIPTION, WEIGHTS

FORMAT = "stela-tagger/2"


def portable_tagger(identity: Mapping[str, str], folder: Path) -> bytes:
    """The file of a tagger: equal for equal taggers.

    Args:
        identity: name, model, version, fingerprint and unit; the licence of the weights.
        folder: what :func:`stela_causal.word_files.read_model` has read.
    """
    known = json.loads((folder / DESCRIPTION).read_bytes())
    head = {"format": FORMAT, **identity, **known, "space": WHITE_SPACE}
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    return b"\n".join([line, (folder / WEIGHTS).read_bytes()])


def licence_of(module: str) -> str:
    """The licence of the distribution that a module is part of, as its metadata say it."""
    names = packages_distributions().get(module.partition(".")[0], [])
    return (metadata(names[0])["License-Expression"] if names else None) or "the terms of its maker"
