"""Chinese words from raw text: a spaCy tokenizer that labels characters, and where it cuts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.ml.models import MaxoutWindowEncoder
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from stela_spacy.kernels import Floats, Ids
from stela_spacy.network import OUTSIDE, REACH, TailNetwork
from thinc.api import HashEmbed, Linear, Maxout, Model, chain, concatenate, with_array

from stela_ud.kinds import kind_of

PLACES = "BMES"
"""Places of a character in its word: begin, middle, end, or a word by itself."""
NEAR = REACH + 1
"""Characters on each side that decide a label: two by convolution, one more by pairs of characters."""
SEEN = 2 * NEAR + 1
OUT = "\ud800"
"""Character for what lies outside the text: no text holds it, as taggers refuse lone surrogates."""
OUT_OR_END = (OUT, "")
CACHED = 65_536
CHUNK = 4_096
FIRST_LOOK = 16
"""Characters that mostly hold the last five words."""


def network(width: int, rows: Sequence[int], labels: int) -> Model[Any, Any]:
    """Layers from ids of characters to scores of labels, as in spaCy's small taggers."""
    tables: list[Model[Any, Any]] = [
        HashEmbed(width, size, column=i, seed=8 + i, dropout=0.0) for i, size in enumerate(rows)
    ]
    model: Model[Any, Any] = chain(
        with_array(concatenate(*tables)),
        with_array(Maxout(width, width * len(rows), nP=3, dropout=0.0, normalize=True)),
        MaxoutWindowEncoder(width=width, window_size=1, maxout_pieces=3, depth=2),
        with_array(Linear(labels, width)),
    )
    sample = character_ids("中 a")
    model.initialize(X=[sample], Y=[np.zeros((len(sample), labels), dtype=np.float32)])
    return model


def ids_of(three: str) -> Ids:
    """Ids (4) of the character in the middle of three: itself, both pairs, the kinds of the three."""
    before, character, after = (c.replace(OUT, "") for c in three)
    kinds = kind_of(before) + kind_of(character) + kind_of(after)
    names = (character, f"{before}<{character}", f"{character}>{after}", kinds)
    return np.array([hash_string(name) for name in names], dtype=np.uint64)


def character_ids(text: str) -> Ids:
    """Ids (n, 4) of the characters of a text."""
    padded = OUT + text + OUT
    ids = [ids_of(padded[i : i + 3]) for i in range(len(text))]
    return np.array(ids, dtype=np.uint64).reshape(-1, 4)


class Edge(NamedTuple):
    """How well a character stands at the edges of a word: best scores over places and tags."""

    ends: float
    begins: float
    goes_on: float
    """Score of going on to the next character."""
    continues: float
    """Score of continuing from the character before."""


NO_EDGE = Edge(0.0, 0.0, 0.0, 0.0)


def edges_of(scores: Floats) -> list[Edge]:
    """Edges of n characters from the scores (n, labels); the labels of each place stand together."""
    best = scores.reshape(len(scores), len(PLACES), -1).max(axis=2)
    return [Edge(max(e, s), max(b, s), max(b, m), max(m, e)) for b, m, e, s in best.tolist()]


def cut(text: str, place: int, before: Edge, after: Edge) -> bool:
    """Whether a word begins at ``place`` > 0, between two characters with these edges."""
    left, right = text[place - 1], text[place]
    if left.isspace() or right.isspace():
        return left.isspace() != right.isspace()
    if left.isascii() and right.isascii():
        if left.isalpha() and right.isalpha():
            return False
        if left.isdigit() and right.isdigit():
            return False
    return before.ends + after.begins > before.goes_on + after.continues


class Segmenter:
    """Cuts a text into words, each boundary only from the four characters on either side of it.

    White space always parts words, and two ASCII letters or two digits are never parted. As spaCy has
    it, one blank belongs to the word before it, and other white space is a word.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self._settings: dict[str, Any] = {}
        self._model: Model[Any, Any] | None = None
        self._keys: dict[str, bytes] = {}
        self._edges: dict[str, Edge] = {}

    def set_model(self, model: Model[Any, Any], settings: dict[str, Any]) -> None:
        """Cut with this model, as :func:`network` makes it of the settings."""
        self._model, self._settings = model, settings
        tables, mixed, encoder, output = model.layers
        names = [str(number) for number in range(settings["labels"])]
        self._network = TailNetwork(tables.layers[0], mixed.layers[0], encoder, output.layers[0], names)
        self._keys, self._edges = {}, {}

    @property
    def model(self) -> Model[Any, Any]:
        """The layers, as :func:`network` makes them."""
        assert self._model is not None
        return self._model

    def __call__(self, text: str) -> Doc:
        """The words as spaCy's pipelines take them."""
        words, spaces = self.words(text)
        return Doc(self.vocab, words=words, spaces=spaces)

    def words(self, text: str) -> tuple[list[str], list[bool]]:
        """Words and whether a blank follows each, in the way of spaCy's ``Doc``."""
        words: list[str] = []
        spaces: list[bool] = []
        edges = self._edges_of_all(text)
        cuts = [0, *(i for i in range(1, len(text)) if cut(text, i, edges[i - 1], edges[i])), len(text)]
        for start, end in pairwise(cuts):
            word = text[start:end]
            if words and word[:1] == " ":
                # Runs of white space are one piece, so that a word stands before it.
                spaces[-1] = True
                word = word[1:]
            if word:
                words.append(word)
                spaces.append(False)
        return words, spaces

    def last_words(self, texts: Sequence[str], count: int, before: int) -> list[list[str]]:
        """The last words of each text: those of :meth:`words` from the end on, fewer where it has fewer.

        Enough of them that ``count`` are not white space and ``before`` more stand before these.
        """
        if max(len(self._keys), len(self._edges)) > CACHED:
            self._keys, self._edges = {}, {}
        words: list[list[str]] = [[] for _ in texts]
        size = FIRST_LOOK
        left = list(range(len(texts)))
        while left:
            self._look(texts, left, size)
            left = [i for i in left if not self._take(texts[i], size, count, before, words[i])]
            size *= 4
        return words

    def _take(self, text: str, size: int, count: int, before: int, words: list[str]) -> bool:
        """Cut words off the end of a text, from its last ``size`` characters; whether they are enough."""
        words.clear()
        padded = OUT * NEAR + text + OUT * NEAR
        end, missing = len(text), count
        edge = self._edges[padded[end - 1 : end - 1 + SEEN]] if text else NO_EDGE
        for i in range(end - 1, max(0, len(text) - size), -1):
            earlier = self._edges[padded[i - 1 : i - 1 + SEEN]]
            if cut(text, i, earlier, edge):
                word = text[i:end]
                blank = word[0] == " " and i > 0
                if blank:
                    word = word[1:]
                if word:
                    words.append(word)
                    if missing:
                        missing -= not word.isspace()
                    else:
                        before -= 1
                    if not missing and not before:
                        words.reverse()
                        return True
                end = i
            edge = earlier
        if len(text) > size:
            return False
        if end:
            words.append(text[:end])
        words.reverse()
        return True

    def _look(self, texts: Sequence[str], wanted: Sequence[int], size: int) -> None:
        """Work out the edges of the last ``size`` characters of some texts, all in one pass."""
        edges = self._edges
        keys: list[bytes] = []
        places: list[int] = []
        names: list[str] = []
        for number in wanted:
            text = texts[number]
            padded = OUT * NEAR + text + OUT * NEAR
            first = max(0, len(text) - size)
            new = [i for i in range(first, len(text)) if padded[i : i + SEEN] not in edges]
            if new:
                places += [len(keys) + REACH + i - new[0] for i in new]
                names += [padded[i : i + SEEN] for i in new]
                keys += self._keys_of(padded, new[0], new[-1] + 1)
        if names:
            computed = edges_of(self._network.scores(keys, places))
            edges.update(zip(names, computed, strict=True))

    def _edges_of_all(self, text: str) -> list[Edge]:
        """The edges of all characters."""
        padded = OUT * NEAR + text + OUT * NEAR
        edges: list[Edge] = []
        for start in range(0, len(text), CHUNK):
            keys = self._keys_of(padded, start, min(start + CHUNK, len(text)))
            edges += edges_of(self._network.scores_of_all(keys))
            if len(self._keys) > CACHED:
                self._keys = {}
        return edges

    def _keys_of(self, padded: str, start: int, end: int) -> list[bytes]:
        """Names of the characters from ``start`` to ``end``, and of two on each side."""
        known = self._keys
        keys: list[bytes] = []
        for i in range(start, end + 2 * REACH):
            three = padded[i : i + 3]
            key = known.get(three)
            if key is None:
                key = OUTSIDE if three[1:2] in OUT_OR_END else ids_of(three).tobytes()
                known[three] = key
            keys.append(key)
        return keys

    def to_disk(self, path: Path | str, exclude: Sequence[str] = ()) -> None:
        """Write ``segmenter.json`` and ``segmenter.bin`` into a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self._model is not None:
            (folder / "segmenter.json").write_text(json.dumps(self._settings) + "\n", encoding="utf-8")
            (folder / "segmenter.bin").write_bytes(self._model.to_bytes())

    def from_disk(self, path: Path | str, exclude: Sequence[str] = ()) -> Segmenter:
        """Read what :meth:`to_disk` wrote."""
        settings = json.loads((Path(path) / "segmenter.json").read_text(encoding="utf-8"))
        model = network(**settings)
        model.from_bytes((Path(path) / "segmenter.bin").read_bytes())
        self.set_model(model, settings)
        return self


@registry.tokenizers("stela_ud.segmenter.v1")  # type: ignore[untyped-decorator]
def create_segmenter() -> Callable[[Language], Segmenter]:
    """The tokenizer that the shipped Chinese pipeline names."""
    return lambda nlp: Segmenter(nlp.vocab)
