"""Small models of random weights, one of each kind, and the same arithmetic the slow way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from stela_causal.alphabet import FIRST_UNKNOWN, JAMO, Encoded
from stela_causal.tagger import CausalTagger
from stela_causal.word_files import DESCRIPTION, Boundaries, Description, read_model, write_model
from stela_causal.word_network import WordNetwork

KNOWN = "AEabdeilnorst.,!1é가나다"
SHAPE = Description(
    characters=KNOWN,
    folded="aeabdeilnorst.,!0é가나다",
    lengths=[2, 3, 6],
    bits=6,
    labels=["NOUN", "VERB", "ADP+DET", "PUNCT"],
    dilations=[1, 2],
    delay=2,
    char_width=8,
    ending_width=4,
    width=12,
)
KINDS = [[0, 0x10FFFF, 2, -1], [0xAC00, 0xD7A3, 0, -1], [ord("a"), ord("z"), 1, ord("a")], [32, 32, 2, 32]]
FOLDED = "AEaaaaaaaaaaa.,!1é가나다"
OF_CHARACTERS = SHAPE.model_copy(
    update={
        "folded": FOLDED,
        "lengths": [2, 3],
        "kinds": KINDS,
        "grams": True,
        "syllables": True,
        "labels_at": "first",
    }
)
"""As sejong:causal: syllables of three parts, the last two and three characters, labels where they begin."""
OF_PAIRS = OF_CHARACTERS.model_copy(
    update={
        "lengths": [2],
        "bits": 1,
        "pairs": "가나나다aa a",
        "syllables": False,
        "labels_at": "all",
        "boundaries": Boundaries(width=8, dilations=[1, 1, 2], pairs=2),
        "ending_width": 8,
    }
)
"""As ctb:causal: two networks, known pairs, labels by the sum over a word."""
SHAPES = [SHAPE, OF_CHARACTERS, OF_PAIRS]


class RandomTagger(CausalTagger):
    name, language, version = "random", "xx", "1"


def tagger_in(folder: Path, shape: Description = SHAPE) -> CausalTagger:
    """A tagger whose model of random weights lies in ``folder``."""
    assert shape.problem() is None
    chance = np.random.default_rng(3)
    arrays = {name: chance.normal(size=one).astype(np.float32) for name, one in shape.shapes().items()}
    write_model(folder / "model", shape, arrays)
    return type("RandomTagger", (RandomTagger,), {"folder": folder})()


Floats = npt.NDArray[np.float64]


class PlainModel:
    """A model from its definition, a character at a time and in 64 bits."""

    def __init__(self, shape: Description, arrays: dict[str, npt.NDArray[np.float32]]) -> None:
        self.shape = shape
        self.arrays = {name: array.astype(np.float64) for name, array in arrays.items()}
        self.stands = dict(zip(shape.characters, shape.folded, strict=True))
        each = [ord(char) for char in shape.pairs]
        self.known = {(each[n], each[n + 1]): 1 + n // 2 for n in range(0, len(each), 2)}

    def kind(self, char: str) -> tuple[int, str]:
        """The kind of an unknown character, and what stands for it in endings."""
        kind, stands = ord(char) // 256 % 32, char
        for first, last, one, to in self.shape.kinds:
            if first <= ord(char) <= last:
                kind, stands = one, stands if to < 0 else chr(to)
        return kind, stands

    def fold(self, char: str) -> str:
        """What stands for a character in endings."""
        return self.stands.get(char, self.kind(char)[1])

    def rows(self, text: str, place: int) -> list[int]:
        """Rows of the endings up to a place."""
        shape = self.shape
        if not shape.grams:
            return plain_endings(text, place, shape, self.fold)
        rows = []
        for length in shape.lengths:
            at = range(place - length + 1, place + 1)
            points = [ord(self.fold(text[here])) if here >= 0 else 0x110000 for here in at]
            if shape.pairs:
                rows.append(self.known.get(tuple(points), 0))
            else:
                key = sum(point << 21 * back for back, point in enumerate(points[::-1]))
                rows.append(key * 0x9E3779B97F4A7C15 % 2**64 >> 64 - shape.bits)
        return rows

    def character(self, char: str, prefix: str) -> Floats:
        """The vector of a character."""
        kinds = 1 + max(kind[2] for kind in self.shape.kinds) if self.shape.kinds else 32
        if char.isspace():
            number = 1
        elif char in self.shape.characters:
            number = FIRST_UNKNOWN + kinds + self.shape.characters.index(char)
        else:
            number = FIRST_UNKNOWN + self.kind(char)[0]
        vector: Floats = self.arrays[f"{prefix}chars.weight"][number]
        syllable = ord(char) - ord("가")
        if self.shape.syllables and 0 <= syllable < JAMO[0] * JAMO[1] * JAMO[2]:
            parts = syllable // 588, syllable % 588 // 28, syllable % 28
            vector = vector + sum(
                self.arrays[f"{prefix}jamo.{number}.weight"][part] for number, part in enumerate(parts)
            )
        return vector

    def scores(self, text: str) -> Floats:
        """(n, delay + 1, kinds) scores of each place, of one network after the other."""
        return np.concatenate([self._scores(text, *one) for one in self.shape.networks()], axis=2)

    def _scores(self, text: str, prefix: str, dilations: list[int]) -> Floats:
        given = []
        for place, char in enumerate(text):
            tables = [self.arrays[f"{prefix}endings.{n}.weight"] for n in range(len(self.shape.lengths))]
            rows = zip(tables, self.rows(text, place), strict=True)
            # A pair that this network does not know is as one that none knows.
            parts = [table[row] if row < len(table) else table[0] for table, row in rows]
            given.append(np.concatenate([self.character(char, prefix), *parts]))
        hidden = [np.zeros(len(self.arrays[f"{prefix}layers.0.bias"])) for _ in text]
        for number, dilation in enumerate(dilations):
            weight, bias = (self.arrays[f"{prefix}layers.{number}.{part}"] for part in ("weight", "bias"))
            more = []
            for place in range(len(text)):
                before = (place - 2 * dilation, place - dilation, place)
                seen = [given[at] if at >= 0 else np.zeros_like(given[0]) for at in before]
                more.append(np.maximum(weight @ np.concatenate(seen) + bias, 0))
            given = hidden = [one + other for one, other in zip(hidden, more, strict=True)]
        weight, bias = self.arrays[f"{prefix}scores.weight"], self.arrays[f"{prefix}scores.bias"]
        scores = [weight @ vector + bias for vector in hidden]
        return np.array(scores).reshape(len(text), self.shape.delay + 1, -1)

    def words(self, text: str) -> list[tuple[int, int, int]]:
        """Begin, end and label of each word of a text, from the first on."""
        if not text:
            return []
        scores, labels_at, labels = self.scores(text), self.shape.labels_at, len(self.shape.labels)
        last = len(text) - 1

        def judged(place: int) -> Floats:
            there = min(place + self.shape.delay, last)
            judged: Floats = scores[there, there - place]
            return judged

        def begins(place: int) -> bool:
            one = judged(place)
            return bool(
                {"last": one[0] > 0, "first": max(one[1:]) > one[0], "all": one[1] > one[0]}[labels_at]
            )

        first = [
            not c.isspace() and (at == 0 or text[at - 1].isspace() or begins(at)) for at, c in enumerate(text)
        ]
        words = []
        for start in [at for at, one in enumerate(first) if one]:
            end = start + 1
            while end < len(text) and not text[end].isspace() and not first[end]:
                end += 1
            if labels_at == "all":
                rest = (judged(place)[2 + labels :] for place in range(start + 1, end))
                said = sum(rest, judged(start)[2 : 2 + labels])
            else:
                said = judged(end - 1 if labels_at == "last" else start)[1:]
            words.append((start, end, int(np.argmax(said))))
        return words

    def tags(self, text: str) -> list[tuple[str, int, int]]:
        """Tags with spans."""
        words = self.words(text)
        return [(tag, a, b) for a, b, label in words for tag in self.shape.labels[label].split("+")]


def plain_in(folder: Path) -> PlainModel:
    """The model in a folder."""
    shape = Description.model_validate_json((folder / DESCRIPTION).read_bytes())
    return PlainModel(shape, dict(read_model(folder).arrays))


def all_scores(network: WordNetwork, encoded: Encoded) -> npt.NDArray[np.float32]:
    """(n, delay + 1, kinds) scores of each place, as if a window ended at each."""
    late, early = network.scores(encoded, np.arange(len(encoded.chars)))
    return np.concatenate([early, late[:, None]], axis=1)


def plain_endings(text: str, place: int, shape: Description, fold: Callable[[str], str]) -> list[int]:
    """Buckets of the endings of a word up to a place, in Python's own numbers."""
    buckets = []
    for length in shape.lengths:
        key = 1
        for back in range(length):
            here = place - back
            begins = here < 0 or text[here].isspace()
            point = 32 if begins else ord(fold(text[here]))
            key = (key ^ point) * 0x9E3779B97F4A7C15 % 2**64
            key ^= key >> 32
            if begins:
                break
        buckets.append((key * 0x9E3779B97F4A7C15 % 2**64) >> (64 - shape.bits))
    return buckets
