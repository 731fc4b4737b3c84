"""What the network is taught: a treebank's text in pieces, with the right answers at each place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from stela_causal.alphabet import Alphabet
from stela_causal.code_points import OUTSIDE, code_points
from torch import Tensor

from stela_language.treebank import Sentence

Ids = npt.NDArray[np.int64]
PIECE = 192
"""Characters of a piece of text that is learnt from, as if nothing stood before it."""
ROWS = 16
"""Pieces of a step."""
UNKNOWN = 0.01
"""Share of characters that are taken for unknown ones, which would else be untrained."""
FEWEST_CHARACTERS = 2
"""A character is known that was seen so often."""
NONE = -1


class Characters(NamedTuple):
    """Rows of a text: code points, and the answers."""

    points: Ids
    begins: Ids
    """1 where a word begins, 0 where one goes on, -1 in white space."""
    labels: Ids
    """Label of the word that stands there; -1 if it has none."""
    ends: Ids
    """1 at a word's last character."""


class Batch(NamedTuple):
    """Pieces of text, (b, n) each but ``endings`` (b, n, lengths)."""

    chars: Tensor
    endings: Tensor
    inside: Tensor
    begins: Tensor
    labels: Tensor
    ends: Tensor


def known_characters(sentences: Sequence[Sentence]) -> tuple[str, str]:
    """The characters that the model is to know, and what stands for each in endings."""
    counts = Counter("".join(one.text for one in sentences))
    known = sorted(c for c, n in counts.items() if n >= FEWEST_CHARACTERS and not c.isspace())
    return "".join(known), "".join(map(folded, known))


def folded(character: str) -> str:
    """A digit as ``0``, a letter in lower case where that is one character, else the character."""
    lower = character.lower()
    return "0" if character.isdecimal() else lower if len(lower) == 1 else character


def characters_of(sentence: Sentence, numbers: dict[str, int]) -> Characters:
    """A sentence with the space after it."""
    points = code_points(sentence.text + " " * sentence.spaced)
    begins, labels, ends = (np.full(len(points), fill) for fill in (NONE, NONE, 0))
    for start, end, label in sentence.words:
        begins[start:end] = 0
        begins[start] = 1
        labels[start:end] = numbers.get(label, NONE)
        ends[end - 1] = 1
    return Characters(points, begins, labels, ends)


def batches(
    sentences: Sequence[Characters], alphabet: Alphabet, chance: np.random.Generator
) -> Iterator[Batch]:
    """All sentences in a new order, one behind the other, cut into pieces in a new way."""
    order = chance.permutation(len(sentences))
    cut = int(chance.integers(0, PIECE))
    columns = []
    for column, fill in zip(Characters._fields, (OUTSIDE, NONE, NONE, 0), strict=True):
        whole = np.concatenate([np.full(cut, fill), *(getattr(sentences[at], column) for at in order)])
        columns.append(np.append(whole, np.full(-len(whole) % PIECE, fill)).reshape(-1, PIECE))
    pieces = chance.permutation(len(columns[0]))
    for first in range(0, len(pieces), ROWS):
        chosen = pieces[first : first + ROWS]
        yield lay_out(Characters(*(column[chosen] for column in columns)), alphabet, chance)


def lay_out(rows: Characters, alphabet: Alphabet, chance: np.random.Generator) -> Batch:
    """Pieces (b, n) as a batch; nothing stands before any."""
    many, size = rows.points.shape
    points = np.concatenate([np.full((many, 1), OUTSIDE), rows.points], 1)
    encoded = alphabet.encode_points(points.ravel(), [])
    hide = (chance.random(points.size) < UNKNOWN) & ~encoded.space
    chars = np.where(hide, alphabet.unknown(points.ravel()), encoded.chars)

    def tensor(array: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array.reshape(many, size + 1, *array.shape[1:])[:, 1:]))

    answers = (torch.from_numpy(answer) for answer in (rows.begins, rows.labels, rows.ends))
    return Batch(tensor(chars), tensor(encoded.endings), tensor(encoded.inside).float(), *answers)
