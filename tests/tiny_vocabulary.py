"""Fixtures on the vocabulary of stela-tiny, for hashers that need one: a plugin's conftest imports them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from stela_models.tokenizer import load_tokenizer
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.api import Detector, TokenBytes
from tests.helpers import human_ids

__all__ = ["human", "tokenizer", "tokens"]


def detector_under(mark: stela.Watermark, key: int) -> Detector:
    """The mark's detector under another key."""
    return mark.detector.with_composition(replace(mark.parts, hasher=mark.parts.hasher.under(key)))


def require_rows_as_alone(scheme: str, tokens: TokenBytes) -> None:
    """Rows of a batch under keys of their own are marked as each by itself."""
    torch = pytest.importorskip("torch")
    ids = [[100, 200, 300], [100, 200, 300]]
    together = stela.create(scheme, "tiny", key=3).marker(keys=[1, 2])(ids, torch.zeros(2, len(tokens)))
    for row, key in enumerate([1, 2]):
        alone = stela.create(scheme, "tiny", key=key).marker()(ids[:1], torch.zeros(1, len(tokens)))
        assert (together[row] == alone[0]).all()


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
