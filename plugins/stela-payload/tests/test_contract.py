"""The encoder is held to the contract, at each kind of length."""

from __future__ import annotations

import pytest
from stela_payload.encoder import Payload
from stela_testing import EncoderContract

import stela_core as stela


class TestOneBlock(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> stela.Encoder:
        return Payload(Payload.Parameters(bits=12))


class TestThreeBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> stela.Encoder:
        return Payload(Payload.Parameters(bits=24))


class TestEightBlocks(EncoderContract):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> stela.Encoder:
        return Payload(Payload.Parameters(bits=64))
