from __future__ import annotations

import pytest
from stela_gumbel.own import Gumbel, GumbelParameters
from stela_gumbel.sglang import Sglang, SglangParameters
from stela_gumbel.vllm import VllmDualGumbel, VllmDualParameters, VllmGumbel, VllmParameters

import stela_core as stela
from stela_core.testing import SamplingHasherContract

KEY = 0x0123456789ABCDEF


class TestOwn(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Gumbel(GumbelParameters(), KEY)


class TestOwnWithoutContext(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Gumbel(GumbelParameters(context_width=1, once=False), KEY)


class TestVllm(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return VllmGumbel(VllmParameters(context_width=6), KEY)


class TestVllmDual(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return VllmDualGumbel(VllmDualParameters(alpha=0.3), KEY)


class TestSglang(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Sglang(SglangParameters(), KEY)


class TestSglangDual(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Sglang(SglangParameters(mixing_probability=0.3), KEY << 64 | KEY ^ 1)
