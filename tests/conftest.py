"""Shared by all tests: a small tokenizer, a pure-Python tagger."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from stela_core.testing.texts import ENGLISH, KOREAN
from stela_core.text.token_bytes import TokenBytes
from tests.helpers import LengthTagger


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """Byte-level BPE of 400 tokens: Korean characters are spread over up to three of them."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<end>", "<pad>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([KOREAN, ENGLISH] * 3, trainer)
    return made


@pytest.fixture(scope="session")
def token_bytes(tokenizer: Tokenizer) -> TokenBytes:
    return TokenBytes.of(tokenizer)


@pytest.fixture
def length_tagger() -> LengthTagger:
    return LengthTagger()
