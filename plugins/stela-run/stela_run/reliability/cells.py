"""Texts of about one length, cut from documents, and what the detector says of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core import Detection, Watermark

LENGTHS = (25, 50, 100, 200, 400, 800)
"""Tokens of the texts."""

PER_DOCUMENT = 4
"""Texts of one length from one document, at most: the next ones tell little more."""

BATCH = 100
"""Texts tested at a time."""


@dataclass(frozen=True)
class Cut:
    """Texts of about ``tokens`` tokens."""

    tokens: int
    texts: list[str]
    documents: npt.NDArray[np.int64]
    """Number of the document of each, (texts,)."""


@dataclass(frozen=True)
class DoneShard:
    """What ``stela detect`` says of the texts of a cut, (texts,) each."""

    cut: Cut
    p_values: npt.NDArray[np.float64]
    z: npt.NDArray[np.float64]
    watermarked: npt.NDArray[np.bool_]
    insufficient: npt.NDArray[np.bool_]
    power: npt.NDArray[np.float64]
    """Expected power of each text, were it marked; NaN where it cannot be told."""


@dataclass(frozen=True)
class Document:
    """A text and where its tokens are."""

    text: str
    starts: npt.NDArray[np.int64]
    """First character of each token, (tokens,)."""
    ends: npt.NDArray[np.int64]
    """The one after its last, (tokens,)."""


def read_documents(texts: Iterable[str], tokenizer: Tokenizer) -> list[Document]:
    """Texts cut into tokens, once for all lengths."""
    return [_document(text, tokenizer) for text in texts]


def _document(text: str, tokenizer: Tokenizer) -> Document:
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    places = np.array(offsets, dtype=np.int64).reshape(-1, 2)
    return Document(text, places[:, 0], places[:, 1])


def cut_texts(documents: Sequence[Document], tokens: int, most: int, per_document: int = PER_DOCUMENT) -> Cut:
    """Texts of ``tokens`` tokens: the first of each document, then the second of each, and so on.

    The text is cut where its tokens end: tested again, it may fall into a token more or less.

    Args:
        documents: shorter ones are left out.
        tokens: of each text.
        most: texts, at most.
        per_document: of them, at most.
    """
    places = [
        (number, turn * tokens)
        for turn in range(per_document)
        for number, document in enumerate(documents)
        if (turn + 1) * tokens <= len(document.ends)
    ][:most]
    texts = [
        documents[number].text[documents[number].starts[first] : documents[number].ends[first + tokens - 1]]
        for number, first in places
    ]
    return Cut(tokens, texts, np.array([number for number, _ in places], dtype=np.int64))


def run_detector(watermark: Watermark, cut: Cut, advance: Callable[[int], None]) -> DoneShard:
    """What ``stela detect`` says of each text of a cut, readings, keys and all.

    Args:
        watermark: of the profile.
        cut: the texts.
        advance: is told how many texts more were tested.
    """
    detections: list[Detection] = []
    powers: list[float] = []
    for start in range(0, len(cut.texts), BATCH):
        batch = watermark.detect_many(cut.texts[start : start + BATCH])
        detections += batch
        powers += [math.nan if one.power is None else one.power for one in batch]
        advance(len(batch))
    return DoneShard(
        cut,
        np.array([one.p_value for one in detections]),
        np.array([one.z for one in detections]),
        np.array([one.verdict == "watermarked" for one in detections], dtype=np.bool_),
        np.array([one.verdict == "insufficient text" for one in detections], dtype=np.bool_),
        np.array(powers),
    )
