"""The causal model from its definition, a character at a time and in 64 bits: the oracle of the fast way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from stela_causal.code_points import OUTSIDE
from stela_sejong.causal_characters import FOLDED, KINDS, SPECIAL, SYLLABLE
from stela_sejong.causal_files import Saved

import stela_core as stela

Floats = npt.NDArray[np.float64]


class PlainNetwork:
    """What :class:`stela_sejong.causal_fast.CausalMorphemes` gives, with Python's loops and 64-bit sums."""

    def __init__(self, saved: Saved) -> None:
        self.saved = saved
        self.arrays = {name: array.astype(np.float64) for name, array in saved.arrays.items()}

    def of_character(self, char: str) -> Floats:
        """A row of its own, or of its kind; a syllable has those of initial, medial and final as well."""
        known = self.saved.characters.known
        kind = int(KINDS[ord(char)])
        row = len(SPECIAL) + known.index(char) if char in known else kind
        vector: Floats = self.arrays["chars.weight"][row]
        if kind == SYLLABLE:
            number = ord(char) - ord("가")
            parts = number // 588, number % 588 // 28, number % 28
            vector = vector + sum(self.arrays[f"jamo.{i}.weight"][part] for i, part in enumerate(parts))
        return vector

    def hidden(self, text: str) -> Floats:
        """(n, width) vectors of the places of a text."""
        bits = self.saved.characters.bits
        padded = ["outside", "outside", *text]
        given = []
        for place, char in enumerate(text):
            pair = key_of(padded[place + 1 : place + 3], bits)
            triple = key_of(padded[place : place + 3], bits)
            tables = self.arrays["pairs.weight"][pair], self.arrays["triples.weight"][triple]
            given.append(np.concatenate([self.of_character(char), *tables]))
        layers = ["first", *(f"blocks.{i}" for i in range(len(self.saved.dilations) - 1))]
        before: list[Floats] = given
        total: list[Floats] = []
        for name, dilation in zip(layers, self.saved.dilations, strict=True):
            nothing = np.zeros_like(before[0])
            weight, bias = self.arrays[f"{name}.weight"], self.arrays[f"{name}.bias"]
            more = []
            for place in range(len(text)):
                there = [place - 2 * dilation, place - dilation, place]
                seen = np.concatenate([before[at] if at >= 0 else nothing for at in there])
                more.append(np.maximum(weight @ seen + bias, 0))
            total = [a + b for a, b in zip(total, more, strict=True)] if total else more
            before = total
        return np.array(total)

    def labels(self, text: str) -> list[tuple[str, ...]]:
        """Tags of the morphemes that begin at each character of a text: none at white space."""
        if not text:
            return []
        hidden = self.hidden(text)
        labels = []
        for place, char in enumerate(text):
            if char.isspace():
                labels.append(())
                continue
            delay = min(self.saved.delay, len(text) - 1 - place)
            weight, bias = self.arrays[f"labels.{delay}.weight"], self.arrays[f"labels.{delay}.bias"]
            scores = weight @ hidden[place + delay] + bias
            if place == 0 or text[place - 1].isspace():
                scores[0] = -np.inf  # a word begins with something
            labels.append(self.saved.labels[int(np.argmax(scores))])
        return labels

    def tag(self, text: str) -> list[stela.Tag]:
        """Tags with spans, each to the next one or to white space."""
        labels = self.labels(text)
        tags = []
        for begin, label in enumerate(labels):
            end = begin + 1
            while end < len(text) and not labels[end] and not text[end].isspace():
                end += 1
            tags += [stela.Tag(tag, begin, end) for tag in label]
        return tags


def key_of(characters: list[str], bits: int) -> int:
    """The bucket of two or three characters, where ``outside`` stands for no character."""
    key = 0
    for char in characters:
        key = key << 21 | int(FOLDED[OUTSIDE if char == "outside" else ord(char)])
    return key * 0x9E3779B97F4A7C15 % 2**64 >> 64 - bits
