"""Where the last words of overlapping windows of a text stand, without cutting each window into words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stela_spacy.network import REACH
from stela_spacy.piece_tokens import Numbers, PieceTokens
from stela_spacy.pieces import LONGEST_RUN

PIECE = re.compile(r"\S+|(?<=\S )\s+|(?<=\S)(?! )\s+")
"""What spaCy cuts by itself: a run without white space; or white space, less one blank at its begin."""
LOOK = 8
"""Tokens beyond those asked for that are looked at: white space, mostly none."""


class Around(NamedTuple):
    """The last words of windows, each with its neighbours."""

    tokens: Numbers
    """(w, 2 reach + 1) numbers of the tokens around each word, 0 outside the window."""
    sizes: Numbers
    """(n,) words of each window."""
    unsure: npt.NDArray[np.bool_]
    """(n,) windows to cut by themselves: of these there are no words here."""


def last_words(table: PieceTokens, text: str, spans: Sequence[tuple[int, int]], count: int) -> Around:
    """The last ``count`` words of each window of a text.

    Args:
        table: of the tokens of pieces.
        text: any.
        spans: (n, 2) of the windows; a window does not begin with white space.
        count: words of each at most, at least 1.
    """
    starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    whole = np.array([piece.span() for piece in PIECE.finditer(text)], dtype=np.int64).reshape(-1, 2)
    if not len(whole):
        none = np.zeros(len(starts), dtype=np.int64)
        return Around(np.zeros((0, 2 * REACH + 1), dtype=np.int64), none, ends > starts)
    begins, stops = np.ascontiguousarray(whole[:, 0]), np.ascontiguousarray(whole[:, 1])
    first = np.minimum(np.searchsorted(begins, starts), len(begins) - 1)
    last = np.searchsorted(begins, ends) - 1
    # Windows that begin within a piece are rare: words longer than the window.
    unsure = (begins[first] != starts) | (last < first) | _too_long(begins, stops, first, last)
    empty = starts == ends
    unsure &= ~empty
    sure = np.flatnonzero(~unsure & ~empty)
    first, last, ends = first[sure], last[sure], ends[sure]

    begin, stop = begins[last], np.minimum(stops[last], ends)
    # A piece that is too long is in no window that is sure, and the rules' time for it is that of a square.
    all_pieces = [text[a:b] if b - a <= LONGEST_RUN else "" for a, b in whole.tolist()]
    all_pieces += [text[a:b] for a, b in zip(begin.tolist(), stop.tolist(), strict=True)]
    numbers = table.numbers_of(all_pieces)
    whole_numbers, last_numbers = numbers[: len(whole)], numbers[len(whole) :]
    seams = np.concatenate([[0], np.cumsum(table.seams(whole_numbers[:-1], whole_numbers[1:])), [0]])
    # Between pieces of the window but the last one, and before that.
    seen = seams[np.maximum(last - 1, first)] > seams[first]
    seen |= (last > first) & table.seams(whole_numbers[np.maximum(last - 1, 0)], last_numbers)

    laid = table.lay_out(numbers)
    end_of_last = laid.ends[len(whole) + 1 :]
    size_of_last = end_of_last - laid.ends[len(whole) : -1]
    here = laid.ends[last]
    held = size_of_last + here - laid.ends[first]
    # Column c is the token c places before the end; those in front of and behind the window are 0.
    columns = np.arange(count + LOOK)
    back = columns[None, :]
    in_last = back < size_of_last[:, None]
    place = np.where(in_last, end_of_last[:, None], (here + size_of_last)[:, None]) - 1 - back
    inside = back < held[:, None]
    place[~inside] = 0
    tokens = np.where(inside, laid.tokens[place], 0)
    words = inside & ~laid.blank[place]
    words[:, len(columns) - REACH :] = False
    rank = np.cumsum(words, axis=1)
    sizes = np.minimum(rank[:, -1], count)
    seen |= (sizes < count) & (held > len(columns) - REACH)

    unsure[sure[seen]] = True
    sizes[seen] = 0
    chosen = words & (rank <= sizes[:, None])
    rows, at = np.nonzero(chosen[:, ::-1])
    padded = np.pad(tokens, ((0, 0), (REACH, 0)))
    around = padded[rows[:, None], (len(columns) - 1 - at)[:, None] + np.arange(2 * REACH, -1, -1)]
    all_sizes = np.zeros(len(starts), dtype=np.int64)
    all_sizes[sure] = sizes
    return Around(around, all_sizes, unsure)


def _too_long(begins: Numbers, stops: Numbers, first: Numbers, last: Numbers) -> npt.NDArray[np.bool_]:
    """Whether a piece from the first to the last is longer than what is cut in one."""
    long = np.concatenate([[0], np.cumsum(stops - begins > LONGEST_RUN)])
    too_long: npt.NDArray[np.bool_] = long[last + 1] > long[np.minimum(first, last + 1)]
    return too_long
