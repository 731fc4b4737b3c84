"""Fixtures: texts whose marks carry messages, and the options that test for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stela_testing.texts import ENGLISH

import stela_core as stela
from stela_core.creation import NewWatermark

KEY = 0x5EED
BITS = 32
MESSAGE = 0x0087F5E7


@pytest.fixture(scope="module")
def watermark() -> NewWatermark:
    return stela.create("gumbel", model="tiny", bits=BITS, key=KEY)


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory, watermark: NewWatermark) -> tuple[object, ...]:
    """The options that test for it."""
    folder = tmp_path_factory.mktemp("bits")
    (folder / "key.txt").write_text(f"{KEY:016x}\n")
    (folder / "key.txt").chmod(0o600)
    watermark.save(folder / "p.stela")
    return "--profile", folder / "p.stela", "--key-file", folder / "key.txt"


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory, watermark: NewWatermark) -> dict[str, Path]:
    """Two marked with different messages, and one of nobody."""
    folder = tmp_path_factory.mktemp("texts")
    contents = {f"{n:x}": marked(watermark, n) for n in (MESSAGE, 0xFFFFFFFF)} | {"human": ENGLISH, "no": ""}
    for name, content in contents.items():
        (folder / f"{name}.txt").write_text(content, encoding="utf-8")
    return {name: folder / f"{name}.txt" for name in contents}


def marked(watermark: stela.Watermark, message: int, length: int = 200) -> str:
    """Draws of whole words of the vocabulary, all as likely."""
    words = [
        n for n in range(300, 4000) if watermark.tokens[n].startswith(b" ") and len(watermark.tokens[n]) > 2
    ]
    random, marker, ids = np.random.default_rng(1), watermark.marker(message=message), [words[0]]
    for _ in range(length):
        logits = np.full((1, watermark.profile.vocab_size), -1e9, dtype=np.float32)
        logits[0, random.choice(words, 100, replace=False)] = 0
        ids.append(int(marker([ids], logits)[0].argmax()))
    return watermark.tokens.decode(ids)
