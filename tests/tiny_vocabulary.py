"""Fixtures on the vocabulary of stela-tiny, for hashers that need one: a plugin's conftest imports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import TokenBytes, load_tokenizer
from tests.helpers import human_ids

__all__ = ["human", "tokenizer", "tokens"]


@pytest.fixture(scope="session")
def tokenizer(registry: stela.Registry) -> Tokenizer:
    return load_tokenizer(registry, "tiny")


@pytest.fixture(scope="session")
def tokens(tokenizer: Tokenizer) -> TokenBytes:
    return TokenBytes.of(tokenizer)


@pytest.fixture(scope="session")
def human(tokenizer: Tokenizer, registry: stela.Registry) -> list[list[int]]:
    """Token ids of English texts, 150 each."""
    return human_ids(registry, tokenizer, 150)[:20]


def binder(cls: Any, tokens: TokenBytes) -> Callable[..., Any]:
    """Makes hashers of a class, by key and parameters, with the vocabulary of stela-tiny."""

    def make(key: int = 7, **parameters: object) -> Any:
        hasher = cls(cls.Parameters.model_validate(parameters), key)
        hasher.bind(tokens)
        return hasher

    return make
