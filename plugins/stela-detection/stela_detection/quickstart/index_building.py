"""Make the index of a large tokenizer (:mod:`.token_index`) from what the library made of its file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models

from stela_detection.quickstart.token_index import DTYPES, Tokens, code_points, extended

MAX_LENGTH = 256
"""Characters of a token: all pieces of a text up to the longest are looked up."""


def index_of(content: dict[str, Any], tokenizer: Tokenizer) -> bytes | None:
    """The bytes of an index; ``None`` for a tokenizer that it would not do for.

    Args:
        content: of the tokenizer's file, as the library writes it.
        tokenizer: what the library reads from it.
    """
    model = content["model"]
    left_out = ("type", "vocab", "merges")
    settings = {name: value for name, value in model.items() if name not in left_out and value is not None}
    if model.get("type") != "BPE" or settings.get("dropout"):
        return None
    vocabulary: dict[str, int] = model["vocab"]
    merges: list[list[str]] = model["merges"]
    fallback = {f"<0x{byte:02X}>" for byte in range(256)} if settings.get("byte_fallback") else set()
    # What a character becomes that is not a token: no piece of the text, and merges must leave it as it is.
    strange = fallback | {settings.get("unk_token")}
    if not {*map(type, merges)} <= {list} or not {*map(len, merges)} <= {2}:
        return None
    if not strange.isdisjoint(chain.from_iterable(merges)):
        return None
    strings = list(vocabulary)
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    if not 0 < lengths.min() <= lengths.max() <= MAX_LENGTH:
        return None
    hashes = _hashes("".join(strings), lengths)
    order = np.argsort(hashes)
    if (np.diff(hashes[order]) == 0).any():
        return None
    number_of = {strings[place]: number for number, place in enumerate(order.tolist())}
    arrays = _arrays(vocabulary, merges, hashes[order], number_of)
    added = {token.content: index for index, token in tokenizer.get_added_tokens_decoder().items()}
    always = {token: index for token, index in vocabulary.items() if token in strange}
    small: dict[str, Any] = {"vocab": always | added, "merges": []}
    frame = json.dumps({**content, "model": {**model, **small}}, ensure_ascii=False).encode()
    if not _adds_the_same(frame, tokenizer):
        return None
    text = "".join(number_of).encode()
    header = {
        "counts": [len(array) for array in arrays],
        "text": len(text),
        "longest": int(lengths.max()),
        "always": [number_of[token] for token in always],
        # Whatever a character is, some token stands for it.
        "covers": settings.get("unk_token") in vocabulary
        or 0 < len(fallback) == len(fallback & always.keys()),
        "settings": settings,
    }
    start = json.dumps(header).encode()
    start += b" " * (-len(start) % 8)
    return b"".join([len(start).to_bytes(8, "little"), start, *(a.tobytes() for a in arrays), text, frame])


def _hashes(text: str, lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The hash of each token, (tokens,)."""
    codes = code_points(text)
    starts = np.cumsum(lengths) - lengths
    hashes = np.zeros(len(lengths), np.uint64)
    for place in range(int(lengths.max())):
        longer = np.flatnonzero(lengths > place)
        hashes[longer] = extended(hashes[longer], codes[starts[longer] + place])
    return hashes


def _arrays(
    vocabulary: dict[str, int],
    merges: list[list[str]],
    hashes: npt.NDArray[np.uint64],
    number_of: dict[str, int],
) -> Tokens:
    ids = _numbers(map(vocabulary.__getitem__, number_of), len(number_of))
    numbers = np.full(ids.max() + 1, -1)
    numbers[ids] = np.arange(len(ids))
    arrays = (
        hashes,
        ids,
        np.cumsum(_numbers(map(len, map(str.encode, number_of)), len(ids))),
        numbers,
        _numbers(map(number_of.__getitem__, map("".join, merges)), len(merges)),
        _numbers(map(len, map(itemgetter(0), merges)), len(merges)),
    )
    return Tokens(*(np.asarray(a, dtype) for a, (_, dtype) in zip(arrays, DTYPES, strict=True)))


def _numbers(values: Iterable[int], count: int) -> npt.NDArray[np.int64]:
    return np.fromiter(values, np.int64, count)


def _adds_the_same(frame: bytes, tokenizer: Tokenizer) -> bool:
    """Whether added tokens have their ids and ways in the frame, also under another model."""
    small = Tokenizer.from_buffer(frame)
    expected = _added(tokenizer)
    if _added(small) != expected:
        return False
    small.model = models.BPE()
    return _added(small) == expected


def _added(tokenizer: Tokenizer) -> dict[int, str]:
    return {index: repr(token) for index, token in tokenizer.get_added_tokens_decoder().items()}
