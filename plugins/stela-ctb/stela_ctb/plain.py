"""Any tokenizer and tagger of HanLP, called in the plain way: one piece of text at a time.

What else is in a batch would change the scores a little, and some components leak padding: by itself, a piece
always gets the same tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from threading import Lock
from typing import Any

import torch

import stela_core as stela
from stela_ctb.pieces import pieces


class PlainPair:
    """Texts to tags with spans, one thread at a time."""

    def __init__(self, tokenizer: Any, tagger: Any, threads: int | None = None) -> None:
        """``threads``: of torch, while this tags."""
        self._tokenizer, self._tagger, self._threads = tokenizer, tagger, threads
        self._tokenizer.config["output_spans"] = True
        self._lock = Lock()

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text; spans in characters."""
        with self._lock, torch.no_grad(), torch_threads(self._threads):
            return [self._tag(text) for text in texts]

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` > 0 tags of each text."""
        return [tuple(tag.tag for tag in tags[-count:]) for tags in self.tag(texts)]

    def _tag(self, text: str) -> list[stela.Tag]:
        all_tags: list[stela.Tag] = []
        for offset, piece in pieces(text):
            spans = whole(_with_spans(self._tokenizer.predict([piece])[0]), len(piece))
            tags = self._tagger.predict([[piece[start:end] for start, end in spans]])[0]
            all_tags += [
                stela.Tag(tag, offset + a, offset + b) for tag, (a, b) in zip(tags, spans, strict=True)
            ]
        return all_tags


def _with_spans(items: Sequence[Any]) -> list[Sequence[Any]]:
    """HanLP's ``[word, start, end]``; plain words, as of a tokenizer of this package, join to the piece."""
    placed: list[Sequence[Any]] = []
    end = 0
    for item in items:
        placed.append([item, end, end + len(item)] if isinstance(item, str) else item)
        end = placed[-1][2]
    return placed


def whole(words: Sequence[Sequence[Any]], size: int) -> list[tuple[int, int]]:
    """Spans that cover all of a text of ``size`` > 0, from HanLP's ``[word, start, end]``.

    A tokenizer drops characters that it does not know: they go to the word before, the first to the first.
    """
    cuts = sorted({start for _, start, _ in words})[1:]
    return list(pairwise([0, *cuts, size]))


@contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Torch on a number of threads inside the block, and as before behind it."""
    before = torch.get_num_threads()
    if number is None or number == before:
        yield
        return
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
