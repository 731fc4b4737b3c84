from __future__ import annotations

from collections.abc import Callable

import pytest
from stela_lsh.hasher import LshHasher, LshParameters
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import TokenBytes, load_tokenizer
from tests.cli.conftest import stela_
from tests.helpers import human_ids

__all__ = ["stela_"]

Bound = Callable[..., LshHasher]


@pytest.fixture(scope="session")
def tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="session")
def tokens(tokenizer: Tokenizer) -> TokenBytes:
    return TokenBytes.of(tokenizer)


@pytest.fixture(scope="session")
def bound(tokens: TokenBytes) -> Bound:
    """A hasher with the vocabulary of stela-tiny."""

    def make(key: int = 7, **parameters: object) -> LshHasher:
        hasher = LshHasher(LshParameters.model_validate(parameters), key)
        hasher.bind(tokens)
        return hasher

    return make


@pytest.fixture(scope="session")
def human(tokenizer: Tokenizer, registry: stela.Registry) -> list[list[int]]:
    """Token ids of English texts, 150 each."""
    return human_ids(registry, tokenizer, 150)[:20]
