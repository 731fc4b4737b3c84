"""Chinese words from raw text: a spaCy tokenizer that labels characters, and where it cuts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from spacy.language import Language
from spacy.ml.models import MaxoutWindowEncoder
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc
from spacy.util import minibatch, registry
from spacy.vocab import Vocab
from thinc.api import HashEmbed, Linear, Maxout, Model, chain, concatenate, with_array

from stela_ud.features import kind_of

PLACES = "BMES"
"""Places of a character in its word: begin, middle, end, or a word by itself."""
OUT = "\ud800"
"""Character for what lies outside the text: no text holds it, as taggers refuse lone surrogates."""


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


@lru_cache(maxsize=65_536)
def ids_of(three: str) -> bytes:
    """Ids (4,) of the character in the middle of three: itself, both pairs, the kinds of the three."""
    before, character, after = (c.replace(OUT, "") for c in three)
    kinds = kind_of(before) + kind_of(character) + kind_of(after)
    names = (character, f"{before}<{character}", f"{character}>{after}", kinds)
    return np.array([hash_string(name) for name in names], dtype=np.uint64).tobytes()


def character_ids(text: str) -> npt.NDArray[np.uint64]:
    """Ids (n, 4) of the characters of a text."""
    padded = OUT + text + OUT
    ids = b"".join([ids_of(padded[i : i + 3]) for i in range(len(text))])
    return np.frombuffer(ids, dtype=np.uint64).reshape(-1, 4)


class Segmenter:
    """Cuts a text into words, each boundary only from the four characters on either side of it.

    White space always parts words, and two ASCII letters or two digits are never parted. As spaCy has
    it, one blank belongs to the word before it, and other white space is a word.
    """

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self._settings: dict[str, Any] = {}
        self._model: Model[Any, Any] | None = None

    def set_model(self, model: Model[Any, Any], settings: dict[str, Any]) -> None:
        """Cut with this model, as :func:`network` makes it of the settings."""
        self._model, self._settings = model, settings

    def __call__(self, text: str) -> Doc:
        """The words as spaCy's pipelines take them."""
        return next(self.pipe([text]))

    def pipe(self, texts: Iterable[str], batch_size: int = 256) -> Iterator[Doc]:
        """The words of texts, many of which are labelled at once; a label depends only on its text."""
        assert self._model is not None
        for batch in minibatch(texts, batch_size):  # type: ignore[no-untyped-call]
            ids = [character_ids(text) for text in batch if text]
            scores = iter(self._model.predict(ids) if ids else ())
            for text in batch:
                words, spaces = words_of(text, next(scores)) if text else ([], [])
                yield Doc(self.vocab, words=words, spaces=spaces)

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
        self.set_model(network(**settings).from_bytes((Path(path) / "segmenter.bin").read_bytes()), settings)
        return self


def words_of(text: str, scores: npt.NDArray[np.float32]) -> tuple[list[str], list[bool]]:
    """Words and whether a blank follows each, in the way of spaCy's ``Doc``.

    Args:
        text: of n > 0 characters.
        scores: (n, labels) of the network; the labels of each place stand together.
    """
    best = scores.reshape(len(text), len(PLACES), -1).max(axis=2).astype(np.float64)
    begin, middle, end, single = best.T
    ends, begins = np.maximum(end, single)[:-1], np.maximum(begin, single)[1:]
    goes_on, continues = np.maximum(begin, middle)[:-1], np.maximum(middle, end)[1:]
    pairs = zip(pairwise(text), (ends + begins > goes_on + continues).tolist(), strict=True)
    places = [place for place, (pair, wanted) in enumerate(pairs, 1) if parted(*pair, wanted)]
    words: list[str] = []
    spaces: list[bool] = []
    for start, stop in pairwise([0, *places, len(text)]):
        word = text[start:stop]
        if words and word[:1] == " ":
            # Runs of white space are one piece, so that a word stands before it.
            spaces[-1] = True
            word = word[1:]
        if word:
            words.append(word)
            spaces.append(False)
    return words, spaces


def parted(left: str, right: str, wanted: bool) -> bool:
    """Whether a word begins between two characters, given whether the network wants it so."""
    if left.isspace() or right.isspace():
        return left.isspace() != right.isspace()
    if left.isascii() and right.isascii():
        if left.isalpha() and right.isalpha():
            return False
        if left.isdigit() and right.isdigit():
            return False
    return wanted


@registry.tokenizers("stela_ud.segmenter.v1")  # type: ignore[untyped-decorator]
def create_segmenter() -> Callable[[Language], Segmenter]:
    """The tokenizer that the shipped Chinese pipeline names."""
    return lambda nlp: Segmenter(nlp.vocab)
