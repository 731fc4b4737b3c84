"""Text samples: words of two languages, much prose, and marked text, made without a model."""

from __future__ import annotations

import codecs
import random
from collections.abc import Sequence
from pydoc_data.topics import topics

import numpy as np

from stela_core import Watermark
from stela_core.api import TokenBytes

KOREAN = "한국의 역사는 오래되었고 그 문화는 다양하다. 사람들은 봄에 산을 오르고 가을에 책을 읽는다. "
ENGLISH = "The history of the city is long, and its people read many books in the old library. "


def random_text(seed: int, words: int = 60) -> str:
    """Words of both languages in random order."""
    rng = random.Random(seed)
    return " ".join(rng.choice((KOREAN + ENGLISH).split()) for _ in range(words))


def little_english() -> str:
    """About 700 kB of prose that comes with every Python: its language reference."""
    return "\n".join(part for part in topics.values() if part)


def marked_text(mark: Watermark, tokens: int = 80, seed: int = 0) -> str:
    """Words of English, made without a model: each is the greenest of a few, as far as
    they are green under ``mark`` where the tokenizer cuts them so.
    """
    rng = np.random.default_rng(seed)
    hasher, detector = mark.parts.hasher, mark.detector
    words = sorted({f" {word}" for word in ENGLISH.split()})
    ids = {row[0]: word for row, word in zip(detector.ids_of(words), words, strict=True) if len(row) == 1}
    choices = np.array(sorted(ids))
    last, text = int(choices[0]), ids[int(choices[0])]
    for _ in range(tokens):
        options = rng.permutation(choices)
        seeds = hasher.seeds(np.full((len(options), hasher.context_width), last))
        signals = hasher.law.signal(hasher.draws(seeds, options))
        last = int(options[np.argmax(signals > hasher.law.middle)])
        text += ids[last]
    return text


def text_of(ids: Sequence[int], tokens: TokenBytes) -> str:
    """The text of all ``ids``; incomplete bytes at the end are dropped. The slow, plain definition."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(b"".join(tokens[i] for i in ids))
