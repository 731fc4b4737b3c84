"""Tokens and merges of a large BPE vocabulary, found by their text without parsing the vocabulary.

Merging only ever makes what stands in the text: of a vocabulary of 262,144 tokens, a sentence needs some
hundreds. A rolling hash of every piece of the text is looked up among the sorted hashes of all tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import models

Numbers = npt.NDArray[np.uint32]

FACTOR = np.uint64(0x9E3779B97F4A7C15)
"""Odd: of the polynomial that hashes code points, modulo 2^64."""

BETWEEN = "\udfff"
"""Separator of words: a lone surrogate, which no token holds."""

MAX_INDEX = 64 << 20
"""Bytes: 400,000 tokens and 800,000 merges take half as many."""

DTYPES = (
    ("hashes", np.uint64),
    ("ids", np.uint32),
    ("ends", np.uint32),
    ("numbers", np.int32),
    ("merged", np.uint32),
    ("left", np.uint16),
)


class Tokens(NamedTuple):
    """The arrays of an index. A token's number is its place in the order of hashes."""

    hashes: npt.NDArray[np.uint64]
    """(tokens,), ascending, no two equal."""
    ids: Numbers
    """(tokens,)."""
    ends: Numbers
    """(tokens,): where each token's bytes end in the text of all of them, in UTF-8."""
    numbers: npt.NDArray[np.int32]
    """(highest id + 1,): each id's number, -1 where there is no token."""
    merged: Numbers
    """(merges,), first merge first: number of the token that it makes."""
    left: npt.NDArray[np.uint16]
    """(merges,): characters of its first part."""


class TokenIndex:
    """What :func:`stela_detection.quickstart.index_building.index_of` made.

    Args:
        data: its bytes, which are trusted: see :mod:`stela_detection.quickstart.checked_before`.
    """

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:8], "little")
        header: dict[str, Any] = json.loads(data[8 : 8 + size])
        at = 8 + size
        arrays = []
        for (_, dtype), count in zip(DTYPES, header["counts"], strict=True):
            arrays.append(np.frombuffer(data, dtype, count, at))
            at += arrays[-1].nbytes
        self._tokens = Tokens(*arrays)
        self._text = data[at : at + header["text"]]
        self.frame = data[at + header["text"] :]
        """A ``tokenizer.json`` of the added tokens, with all else as it is."""
        self._longest: int = header["longest"]
        self._always: list[int] = header["always"]
        self._covers: bool = header["covers"]
        self._settings: dict[str, Any] = header["settings"]

    def token(self, index: int) -> str | None:
        """The model's token of an id, as ``Tokenizer.id_to_token`` gives it; ``None`` if there is none."""
        number = int(self._tokens.numbers[index]) if 0 <= index < len(self._tokens.numbers) else -1
        return None if number < 0 else self._string(number)

    def model_for(self, words: Iterable[str]) -> models.BPE | None:
        """The model, as far as it can cut these words; ``None`` where that cannot be told.

        Args:
            words: what pre-tokenizing makes of the text, in any order.
        """
        text = BETWEEN.join(set(words))
        hits = self._tokens_in(text)
        if hits is None:
            return None
        needed = np.zeros(len(self._tokens.ids), np.bool_)
        needed[self._always] = True
        needed[hits] = True
        numbers = np.flatnonzero(needed).tolist()
        strings = {number: self._string(number) for number in numbers}
        ids = self._tokens.ids
        vocabulary = {strings[number]: int(ids[number]) for number in numbers}
        if not (self._covers or {*text} <= {BETWEEN, *vocabulary}):
            return None  # a character that is left out makes one piece of what stands beside it
        merges = np.flatnonzero(needed[self._tokens.merged])
        pairs = []
        for number, left in zip(
            self._tokens.merged[merges].tolist(), self._tokens.left[merges].tolist(), strict=True
        ):
            pairs.append((strings[number][:left], strings[number][left:]))
        return models.BPE(vocab=vocabulary, merges=pairs, **self._settings)

    def _tokens_in(self, text: str) -> npt.NDArray[np.intp] | None:
        """Numbers of the tokens that are pieces of a text; ``None`` where another piece has one's hash."""
        codes = code_points(text)
        hashes = self._tokens.hashes
        last = len(hashes) - 1
        rolling = np.zeros(len(codes) + 1, np.uint64)
        numbers, starts, sizes = [], [], []
        for size in range(1, min(self._longest, len(codes)) + 1):
            rolling = extended(rolling[: len(codes) - size + 1], codes[size - 1 :])
            at = np.minimum(np.searchsorted(hashes, rolling), last)
            hit = np.flatnonzero(hashes[at] == rolling)
            numbers.append(at[hit])
            starts.append(hit)
            sizes.append(np.full(len(hit), size))
        if not numbers:
            return np.empty(0, np.intp)
        each, first = np.unique(np.concatenate(numbers), return_index=True)
        begins, lengths = np.concatenate(starts)[first].tolist(), np.concatenate(sizes)[first].tolist()
        for number, begin, length in zip(each.tolist(), begins, lengths, strict=True):
            if text[begin : begin + length] != self._string(number):
                return None
        return each

    def _string(self, number: int) -> str:
        start = int(self._tokens.ends[number - 1]) if number else 0
        return self._text[start : int(self._tokens.ends[number])].decode()


def code_points(text: str) -> npt.NDArray[np.uint64]:
    """Code point of each character, (characters,); lone surrogates are let through."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)


def extended(hashes: npt.NDArray[np.uint64], codes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Hashes of pieces that are a character longer."""
    return hashes * FACTOR + codes + np.uint64(1)
