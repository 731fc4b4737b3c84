from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import stela_sample
from stela_watme.hasher import WatmeHasher, WatmeParameters
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import TokenBytes, load_tokenizer
from tests.cli.conftest import stela_

__all__ = ["stela_"]

Bound = Callable[..., WatmeHasher]


@pytest.fixture(scope="session")
def tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="session")
def tokens(tokenizer: Tokenizer) -> TokenBytes:
    return TokenBytes.of(tokenizer)


@pytest.fixture(scope="session")
def bound(tokens: TokenBytes) -> Bound:
    """A hasher with the vocabulary of stela-tiny."""

    def make(key: int = 7, **parameters: object) -> WatmeHasher:
        hasher = WatmeHasher(WatmeParameters.model_validate(parameters), key)
        hasher.bind(tokens)
        return hasher

    return make


@pytest.fixture(scope="session")
def human(tokenizer: Tokenizer) -> list[list[int]]:
    """Token ids of English texts, 150 each."""
    file = Path(stela_sample.__file__).parent / "texts" / "en.jsonl"
    texts = [json.loads(line)["continuation"] for line in file.read_text(encoding="utf-8").splitlines()]
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    cut = [row[start : start + 150] for row in ids for start in range(0, len(row) - 149, 150)]
    assert len(cut) > 5
    return cut[:20]
