"""A mark of every kind, with requests and with the stateless marker, over the embedded model's tokenizer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from stela_serving.requests import Requests
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.insertion.row_marks import row_marks
from tests.helpers import LengthTagger

WIDTH = 8200
KEY = 7

PLUGIN = """
import numpy as np
import stela_core as stela


class Words(stela.Weighting):
    name = "words"
    needs = frozenset({"contexts", "text"})

    def weights(self, positions):
        return np.array([
            0.5 + 0.25 * int(c[-1][1:] if c else 0) + len(text) + 0.125 * (ord(text[-1:] or ' ') % 7)
            for c, text in zip(positions.contexts, positions.text)
        ])


@stela.hookimpl
def stela_register_weightings():
    return Words


@stela.hookimpl
def stela_register_taggers():
    from tests.helpers import LengthTagger

    return LengthTagger
"""
"""Weights that follow the last words and the last characters."""

SCHEMES: dict[str, dict[str, Any]] = {
    "kgw": {},
    "gumbel": {},
    "words": {},
    "kgw, width 4": {"context_width": 4},
    "unigram": {},
    "sweet": {},
    "morphmark": {},
    "ewd": {},
    "stela": {"tagger": "penn"},
    "learned-text": {"language": "en"},
    "gumbel, again": {"parameters": {"once": False}},
    "gumbel-vllm": {},
    "gumbel-vllm-dual": {},
    "gumbel-sglang": {},
    "synthid": {},
    "synthid, first left": {"parameters": {"skip_first": True}},
    "exp": {"parameters": {"key_length": 5}},
    "exp-its": {"parameters": {"key_length": 5}},
    "unbiased-delta": {},
    "unbiased-dip": {},
    "unbiased-gamma": {},
    "watme": {},
    "lsh": {},
}
HASHERS = {
    "interop-lefthash": {"context_width": 3},
    "interop-selfhash": {},
    "interop-markllm": {"context_width": 2},
}
"""Hashers that no scheme names: KGW's with each."""


class Made(NamedTuple):
    """A mark: the engine's side of it, and the slow one."""

    requests: Callable[..., Requests]
    """Makes new ones; takes ``record``."""
    marker: Callable[..., stela.Marker]
    """Makes one; takes ``keys``."""
    ids: list[int]
    """Ids that texts are made of: some words, an end token, halves of characters."""


def make(name: str, registry: stela.Registry, tokenizer: Tokenizer, folder: Path) -> Made:
    """The mark of this name.

    Args:
        name: of ``SCHEMES`` or ``HASHERS``.
        registry: the installed plugins.
        tokenizer: a small one that cuts Korean characters, for the mark that follows words.
        folder: for a plugin's file.
    """
    mark = _mark(name, registry, tokenizer, folder)
    tokens = mark.tokens
    cut = [i for i in range(2, len(tokens)) if tokens[i][:1] >= b"\x80"][:6]
    words = [i for i in range(2, len(tokens)) if tokens[i][:1] == b" "][:4]
    ids = [*cut, *words, 0]
    if name not in HASHERS:
        return Made(mark.requests, mark.marker, ids)
    kind = registry.get(stela.Hasher, name)
    more = {"vocab_size": 8192} if "vocab_size" in kind.Parameters.model_fields else {}
    parts = replace(mark.parts, hasher=kind(kind.Parameters(**HASHERS[name], **more), KEY))

    def of(marks: Any = None) -> stela.Marker:
        return stela.Marker(parts, tokens, None, mark.profile.vocab_size, marks=marks)

    return Made(
        lambda record=False: Requests(of(), record),
        lambda keys=None: of(None if keys is None else row_marks(parts, keys, None)),
        ids,
    )


def _mark(name: str, registry: stela.Registry, tokenizer: Tokenizer, folder: Path) -> stela.Watermark:
    scheme = "kgw" if name in HASHERS else name.partition(",")[0]
    if scheme != "words":
        return stela.create(scheme, model="tiny", key=KEY, registry=registry, **SCHEMES.get(name, {}))
    (folder / "words.py").write_text(PLUGIN)
    own = stela.create_registry([folder / "words.py"])
    return stela.create(scheme, tokenizer=tokenizer, tagger=LengthTagger(), key=KEY, registry=own)


def logits_of(rows: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (rows, WIDTH)).astype(np.float32))
