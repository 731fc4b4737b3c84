"""The plainest Gumbel mark keeps the contract of hashers that choose tokens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from stela_testing import SamplingHasherContract

import stela_core as stela
from tests.sampling.plain_gumbel import PlainGumbel, PlainParameters


class TestPlainGumbel(SamplingHasherContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.SamplingHasher:
        return PlainGumbel(PlainParameters(), 5)


class Shared(PlainGumbel):
    """Its draws follow the law, and all tokens under a seed have the same one."""

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return super().draws(seeds, np.zeros_like(tokens))


def test_tokens_under_one_seed_share_draws_only_where_one_of_them_is_scored() -> None:
    """Shares of draws then show the law only if one token of each seed is looked at."""
    contract = SamplingHasherContract()
    contract.test_draws_follow_the_law(Shared(PlainParameters(once=True), 5))
    contract.test_tokens_under_one_seed_have_independent_draws(PlainGumbel(PlainParameters(once=False), 5))
    with pytest.raises(AssertionError, match="tokens under one seed share draws"):
        contract.test_tokens_under_one_seed_have_independent_draws(Shared(PlainParameters(once=False), 5))
