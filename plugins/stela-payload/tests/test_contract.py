"""The encoder is held to the contract, at each kind of length."""

from __future__ import annotations

import pytest
from stela_payload.encoder import Payload
from stela_payload.interface import SeedEncoder
from stela_payload.testing import EncoderContract


@pytest.mark.deep(keep=["0"], only=["test_messages_come_back"])
class TestOneBlock(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=12))


@pytest.mark.deep(keep=["0"], only=["test_messages_come_back"])
class TestThreeBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=24))


@pytest.mark.deep(keep=["0"], only=["test_messages_come_back"])
class TestEightBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=64))
