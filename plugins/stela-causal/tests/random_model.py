"""A small model of random weights, and the same arithmetic the slow way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from stela_causal.alphabet import FIRST_KNOWN, FIRST_UNKNOWN, Alphabet
from stela_causal.tagger import CausalTagger
from stela_causal.word_files import Description, WordModel, write_model

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


class RandomTagger(CausalTagger):
    name, language, version = "random", "xx", "1"


def tagger_in(folder: Path) -> CausalTagger:
    """A tagger whose model of random weights lies in ``folder``."""
    chance = np.random.default_rng(3)
    arrays = {name: chance.normal(size=shape).astype(np.float32) for name, shape in SHAPE.shapes().items()}
    write_model(folder / "model", SHAPE, arrays)
    return type("RandomTagger", (RandomTagger,), {"folder": folder})()


def plain_endings(text: str, place: int, alphabet: Alphabet) -> list[int]:
    """Buckets of the endings up to a place, in Python's own numbers."""
    fold = dict(zip(alphabet.known, alphabet.folded, strict=True))
    buckets = []
    for length in alphabet.lengths:
        key = 1
        for back in range(length):
            here = place - back
            begins = here < 0 or text[here].isspace()
            point = 32 if begins else ord(fold.get(text[here], text[here]))
            key = (key ^ point) * 0x9E3779B97F4A7C15 % 2**64
            key ^= key >> 32
            if begins:
                break
        buckets.append((key * 0x9E3779B97F4A7C15 % 2**64) >> (64 - alphabet.bits))
    return buckets


def plain_scores(model: WordModel, text: str) -> np.ndarray:
    """(n, delay + 1, 1 + labels) scores of each place in 64 bits, straight from the definition."""
    arrays = {name: array.astype(np.float64) for name, array in model.arrays.items()}
    given = []
    for place, character in enumerate(text):
        if character.isspace():
            number = 1
        elif character in model.alphabet.known:
            number = FIRST_KNOWN + model.alphabet.known.index(character)
        else:
            number = FIRST_UNKNOWN + ord(character) // 256 % 32
        parts = [arrays["chars.weight"][number]]
        for which, bucket in enumerate(plain_endings(text, place, model.alphabet)):
            parts.append(arrays[f"endings.{which}.weight"][bucket])
        given.append(np.concatenate(parts))
    hidden = [np.zeros(len(arrays["layers.0.bias"])) for _ in text]
    for number, dilation in enumerate(model.dilations):
        weight, bias = arrays[f"layers.{number}.weight"], arrays[f"layers.{number}.bias"]
        more = []
        for place in range(len(text)):
            before = (place - 2 * dilation, place - dilation, place)
            seen = [given[at] if at >= 0 else np.zeros_like(given[0]) for at in before]
            more.append(np.maximum(weight @ np.concatenate(seen) + bias, 0))
        hidden = [one + other for one, other in zip(hidden, more, strict=True)]
        given = hidden
    scores = [arrays["scores.weight"] @ vector + arrays["scores.bias"] for vector in hidden]
    return np.array(scores).reshape(len(text), model.delay + 1, -1)


def plain_words(model: WordModel, text: str) -> list[tuple[int, int, int]]:
    """Begin, end and label of each word of a text, from the first on."""
    scores = plain_scores(model, text)
    last = len(text) - 1

    def judged(place: int) -> np.ndarray:
        at = min(place + model.delay, last)
        return scores[at, at - place]

    begins = [
        not c.isspace() and (at == 0 or text[at - 1].isspace() or judged(at)[0] > 0)
        for at, c in enumerate(text)
    ]
    words = []
    for start in [at for at, one in enumerate(begins) if one]:
        end = start + 1
        while end < len(text) and not text[end].isspace() and not begins[end]:
            end += 1
        words.append((start, end, int(np.argmax(judged(end - 1)[1:]))))
    return words
