import numpy as np
import pytest
from stela_testing import GreenListContract
from stela_unigram import UnigramHasher, UnigramParameters

import stela_core as stela
from stela_core.composition import compose, resolve_scheme

GOLDEN_SEED = 0x5CF7EF34A4A24B3B
GOLDEN_GREEN = [2, 6, 7, 12, 13, 14, 17, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 31, 33, 34, 35, 36, 38, 39]


class TestUnigramHasher(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> stela.GreenList:
        return UnigramHasher(UnigramParameters(gamma=0.3), 0x0123456789ABCDEF)


def test_golden_list() -> None:
    """The first green ids of one key, worked out once with the definition in plain integers: for ever."""
    hasher = UnigramHasher(UnigramParameters(), 0x0123456789ABCDEF)
    seeds = hasher.seeds(np.empty((40, 0), dtype=np.int64))
    assert set(seeds.tolist()) == {GOLDEN_SEED}
    assert np.flatnonzero(hasher.green(seeds, np.arange(40))).tolist() == GOLDEN_GREEN


def test_parts_and_defaults(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "unigram")
    assert (parts.scheme.hasher, parts.strength.name, parts.evidence.name) == (
        "unigram",
        "uniform",
        "uniform",
    )
    assert not parts.needs_model_to_detect
    made = compose(parts, {}, UnigramHasher(UnigramParameters(), 1), None, "tokens")
    assert (made.bias_per_weight, made.hasher.gamma, made.hasher.context_width) == (2.0, 0.5, 0)


def test_other_keys_have_other_lists() -> None:
    tokens = np.arange(20_000)
    one, other = (
        UnigramHasher(UnigramParameters(), key).green(
            UnigramHasher(UnigramParameters(), key).seeds(np.empty((20_000, 0), dtype=np.int64)), tokens
        )
        for key in (1, 2)
    )
    assert abs((one == other).mean() - 0.5) < 5 * 0.5 / 20_000**0.5
