from __future__ import annotations

from collections.abc import Callable

import pytest
from stela_sir.hasher import SirHasher

from stela_core.api import TokenBytes
from tests.tiny_vocabulary import binder, human, tokenizer, tokens

__all__ = ["human", "tokenizer", "tokens"]

Bound = Callable[..., SirHasher]


@pytest.fixture(scope="session")
def bound(tokens: TokenBytes) -> Bound:
    """A hasher with the vocabulary of stela-tiny."""
    return binder(SirHasher, tokens)
