from __future__ import annotations

import pytest
from stela_gumbel.own import Gumbel, GumbelParameters
from stela_gumbel.sglang import Sglang, SglangParameters
from stela_gumbel.textseal import TextSealDual, TextSealDualParameters, TextSealGumbel, TextSealParameters
from stela_gumbel.vllm import VllmDualGumbel, VllmDualParameters, VllmGumbel, VllmParameters
from stela_gumbel.vllm_hmac import VllmHmac, VllmHmacParameters
from stela_testing import SamplingHasherContract

import stela_core as stela

KEY = 0x0123456789ABCDEF


class TestOwn(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Gumbel(GumbelParameters(), KEY)


@pytest.mark.deep(stand_in="TestOwn", only=["test_the_marked_distribution_is_the_models_on_average"])
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


@pytest.mark.deep(
    stand_in="plugins/stela-gumbel/tests/test_undistorted.py::test_one_token_and_two_have_the_models_distribution",
    only=["test_the_marked_distribution_is_the_models_on_average"],
)
class TestSglangDual(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return Sglang(SglangParameters(mixing_probability=0.3), KEY << 64 | KEY ^ 1)


class TestTextSeal(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return TextSealGumbel(TextSealParameters(context_width=3), KEY)


@pytest.mark.deep(
    stand_in="plugins/stela-gumbel/tests/test_undistorted.py::test_one_token_and_two_have_the_models_distribution",
    only=["test_the_marked_distribution_is_the_models_on_average"],
)
class TestTextSealDual(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return TextSealDual(TextSealDualParameters(mixing_alpha=0.3), KEY)


class TestVllmHmac(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return VllmHmac(VllmHmacParameters(context_width=3), KEY << 192 | KEY)


@pytest.mark.deep(stand_in="TestVllmHmac", only=["test_the_marked_distribution_is_the_models_on_average"])
class TestVllmHmacOfOneId(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return VllmHmac(VllmHmacParameters(context_width=1), KEY)
