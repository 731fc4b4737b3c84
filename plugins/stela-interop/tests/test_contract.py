"""The shipped contract of hashers, on a vocabulary as long as the contract's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stela_interop.lefthash import Lefthash
from stela_interop.markllm import MarkLlm
from stela_interop.red_green import RedGreen
from stela_interop.sbw import Sbw
from stela_interop.selfhash import Selfhash
from stela_interop.textseal_green import TextSealGreen
from stela_testing.green_lists import VOCABULARY, GreenListContract

import stela_core as stela


def make(hasher: type[stela.GreenList], **parameters: Any) -> stela.GreenList:
    """With the key that all three toolkits have by default."""
    return hasher(hasher.Parameters(vocab_size=VOCABULARY, **parameters), 15485863)


class TestLefthash(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return make(Lefthash, gamma=0.25)


class TestWideLefthash(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return make(Lefthash, gamma=0.25, context_width=3)


class TestMarkLlm(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return make(MarkLlm, gamma=0.5, context_width=2, f_scheme="min")


class TestSbw(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return Sbw(Sbw.Parameters(gamma=0.25), 15485863)

    def contexts(
        self, hasher: stela.GreenList, count: int = 400
    ) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Few: a quarter of all contexts give a token the same colour, so many are few draws."""
        return super().contexts(hasher, min(count, 12))


class TestSbwOfVllm(TestSbw):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return Sbw(Sbw.Parameters(context_width=4, unread=1, once=True), 2**63 + 5)


class TestSbwLefthash(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return Sbw(Sbw.Parameters(scheme="lefthash", context_width=4, gamma=0.1), 15485863)


class TestRedGreen(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return RedGreen(RedGreen.Parameters(gamma=0.3), 2**64 - 5)


class TestTextSealGreen(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return TextSealGreen(TextSealGreen.Parameters(gamma=0.3, context_width=2), 2**64 - 5)


@pytest.mark.deep(stand_in="TestLefthash", only=["test_sums_under_many_keys_are_those_of_each"])
@pytest.mark.slow
class TestSelfhash(GreenListContract):
    """With as many candidates as tokens: then generation marks all that detection calls green."""

    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return make(Selfhash, gamma=0.25, candidates=2 * VOCABULARY, table_seed=2971215073)

    def contexts(
        self, hasher: stela.GreenList, count: int = 400
    ) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Fewer: each candidate has a list of its own."""
        return super().contexts(hasher, min(count, 40))


@pytest.mark.deep(stand_in="TestLefthash", only=["test_sums_under_many_keys_are_those_of_each"])
class TestSelfhashWithoutContext(TestSelfhash):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return make(Selfhash, gamma=0.5, candidates=2 * VOCABULARY, context_width=0)

    def test_green_share_is_gamma(self, hasher: stela.GreenList) -> None:
        """One split for all contexts: as many draws as tokens, however many contexts."""
        seeds = hasher.seeds(self.contexts(hasher))
        assert len(set(seeds.tolist())) == 1
        green = hasher.green(np.full(VOCABULARY, seeds[0]), np.arange(VOCABULARY))
        assert abs(green.mean() - 0.5) < 5 * (0.25 / VOCABULARY) ** 0.5
