"""The encoder is held to the contract, at each kind of length."""

from __future__ import annotations

import pytest
from stela_payload.encoder import Payload
from stela_payload.interface import SeedEncoder
from stela_payload.testing import EncoderContract


class TestOneBlock(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=12))


class TestThreeBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=24))


class TestEightBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> SeedEncoder:
        return Payload(Payload.Parameters(bits=64))
