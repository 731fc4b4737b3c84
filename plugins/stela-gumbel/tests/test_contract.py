from __future__ import annotations

import pytest
from stela_gumbel.own import Gumbel, GumbelParameters
from stela_gumbel.sglang import Sglang, SglangParameters
from stela_gumbel.vllm import VllmDualGumbel, VllmDualParameters, VllmGumbel, VllmParameters

import stela_core as stela
from stela_core.testing import ChoiceContract

KEY = 0x0123456789ABCDEF


class TestOwn(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return Gumbel(GumbelParameters(), KEY)


class TestOwnWithoutContext(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return Gumbel(GumbelParameters(context_width=1, once=False), KEY)


class TestVllm(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return VllmGumbel(VllmParameters(context_width=6), KEY)


class TestVllmDual(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return VllmDualGumbel(VllmDualParameters(alpha=0.3), KEY)


class TestSglang(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return Sglang(SglangParameters(), KEY)


class TestSglangDual(ChoiceContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.Choice:
        return Sglang(SglangParameters(mixing_probability=0.3), KEY << 64 | KEY ^ 1)
