"""Texts by genre, each cut to several lengths: human prose in three languages, code, tables and lists."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from stela_corpora import TextSource
from stela_run.null.unmarked import Unmarked
from tokenizers import Tokenizer

from benchmarks.texts import registry, texts_of
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.watermark import Watermark

PROSE = {"prose-en": "en", "prose-zh": "zh", "prose-ko": "ko"}
GENRES = (*PROSE, "code", "tables", "lists")


class Cut(NamedTuple):
    """The first tokens of documents: each document once at every length that it has."""

    texts: Unmarked
    length: npt.NDArray[np.int64]
    """Tokens of each text, (texts,)."""
    half: npt.NDArray[np.bool_]
    """Whether its document belongs to the first half, (texts,)."""


def documents(genre: str, data: Path | None, most: int) -> list[str]:
    """Up to ``most`` documents, evenly from all: prose from ``data``, where it is given, else the samples."""
    language = PROSE.get(genre, "en")
    if data is not None and genre in PROSE:
        paths = sorted((data / "corpora" / language).glob("*.jsonl.gz"))
    else:
        name = "sample-prose" if genre in PROSE else f"sample-{genre}"
        paths = [registry().get(TextSource, name).location(language)]
    texts = [text for path in paths for text in texts_of(path)]
    count = min(most, len(texts))
    return [texts[number * len(texts) // count] for number in range(count)]


def kgw(tokenizer: Tokenizer, width: int = 1) -> Watermark:
    """A watermark that weighs every token alike, for any tokenizer; weights of repeats are their counts."""
    return _made(Settings("kgw", {"repeats": "sum"}, context_width=width), tokenizer)


def made_by(scheme: str, tokenizer: Tokenizer) -> Watermark:
    """A watermark of a scheme without tables, under the rules of new profiles."""
    return _made(Settings(scheme), tokenizer)


def _made(settings: Settings, tokenizer: Tokenizer) -> Watermark:
    archive: Archive = settings.create(registry(), tokenizer, 2026, public=True).archive
    return Watermark(archive, None, registry())


def cut(mark: Watermark, tokenizer: Tokenizer, texts: list[str], lengths: list[int]) -> Cut:
    """The texts at each length; documents belong to the halves by turns."""
    rows, length, half = [], [], []
    for number, text in enumerate(texts):
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        for size in lengths:
            if len(ids) >= size:
                rows.append(ids[:size])
                length.append(size)
                half.append(number % 2 == 0)
    unmarked = Unmarked(mark.detector.evidence(rows), mark.parts.hasher, mark.parts.scorer)
    kept = unmarked.with_evidence
    return Cut(unmarked, np.array(length)[kept], np.array(half)[kept])
