"""Even splits inside clusters: every path against the definition, and what a text's coins are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from stela_clusters import balanced
from stela_clusters.balanced import LARGEST, Clusters
from stela_clusters.compiled_rows import write_clusters
from stela_clusters.hasher import BalancedHasher
from stela_kernels import fused_bias
from stela_testing import GreenListContract

from stela_core.errors import StelaError
from stela_core.hashing import colour
from stela_core.interfaces import GreenList, HasherParameters
from stela_core.text.token_bytes import TokenBytes

VOCABULARY = 200
SEED = 0x0123456789ABCDEF
GOLDEN = [1, 4, 5, 7, 11, 12, 13, 14, 17, 18]
GOLDEN_GROUPS = [[0, 1], [2, 3, 4, 5], [6, 9, 12], [13, 19]]

GROUPS = st.permutations(range(40)).flatmap(
    lambda ids: st.lists(st.integers(0, 40), max_size=8).map(
        lambda cuts: [ids[a:b] for a, b in pairwise(sorted({0, *cuts}))]
    )
)
SEEDS = st.integers(0, 2**64 - 1)
GAMMAS = st.sampled_from([0.25, 0.5, 0.1, 0.9, 1 / 3])


class Fixed(BalancedHasher):
    """Clusters that are given."""

    name = "fixed"
    groups = tuple(range(start, start + size) for start, size in ((0, 2), (5, 7), (20, 31), (900, 500)))

    def find_clusters(self, tokens: TokenBytes) -> Clusters:
        return Clusters.of(self.groups)


def bound(gamma: float = 0.5, key: int = 7, size: int = 1_000) -> Fixed:
    hasher = Fixed(HasherParameters(gamma=gamma), key)
    hasher.bind(TokenBytes([b"x"] * size, frozenset()))
    return hasher


class TestContract(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls) -> GreenList:
        return bound(0.3)


@given(GROUPS, SEEDS, GAMMAS)
def test_all_paths_are_the_definition(groups: list[list[int]], seed: int, gamma: float) -> None:
    clusters = Clusters.of(groups)
    tokens = np.arange(50)
    expected = [balanced.green_reference(seed, token, gamma, groups) for token in range(50)]
    seeds = np.full(50, seed, dtype=np.uint64)
    assert balanced.green(seeds, tokens, gamma, clusters).tolist() == expected
    for size in (50, 23):
        assert balanced.green_row(np.uint64(seed), size, gamma, clusters).tolist() == expected[:size]
    scores = np.linspace(-3, 3, 110, dtype=np.float32).reshape(2, 55)
    if fused_bias.suits_array(scores):
        out = fused_bias.add_bias_to_array(scores, seeds[:2], [1.5, 0.0], 50, gamma)
        write_clusters(scores, out, seeds[:2], [1.5, 0.0], 50, gamma, clusters)
        wanted = scores.copy()
        wanted[0, :50] += np.where(expected, np.float32(1.5), np.float32(0))
        assert (out == wanted).all()


@given(GROUPS, SEEDS, GAMMAS)
def test_of_each_cluster_its_share_is_green(groups: list[list[int]], seed: int, gamma: float) -> None:
    """Between the floor and the ceiling of gamma m, whatever the seed."""
    row = balanced.green_row(np.uint64(seed), 40, gamma, Clusters.of(groups))
    for group in groups:
        if len(group) > 1:
            assert abs(row[list(group)].sum() - gamma * len(group)) < 1


def test_golden_split() -> None:
    """Worked out once with the definition in plain integers: for ever."""
    row = balanced.green_row(np.uint64(SEED), 20, 0.5, Clusters.of(GOLDEN_GROUPS))
    assert np.flatnonzero(row).tolist() == GOLDEN
    assert [v for v in range(20) if balanced.green_reference(SEED, v, 0.5, GOLDEN_GROUPS)] == GOLDEN


def test_no_clusters_is_the_plain_split() -> None:
    seeds = np.arange(300, dtype=np.uint64)
    tokens = np.arange(300)
    plain = colour.green(seeds, tokens, 0.3)
    assert (balanced.green(seeds, tokens, 0.3, Clusters.of([])) == plain).all()


@pytest.mark.parametrize("gamma", [0.5, 0.25, 0.37])
def test_each_token_is_green_with_probability_gamma(gamma: float) -> None:
    """In clusters of any size, over seeds: an exact test each, at a level shared by all."""
    clusters = Clusters.of([[0, 1], [2, 3, 4], [5, 6, 7, 8, 9], list(range(10, 21))])
    seeds = np.random.default_rng(0).integers(0, 2**64, 4_000, dtype=np.uint64)
    for token in range(22):
        greens = int(balanced.green(seeds, np.full(4_000, token), gamma, clusters).sum())
        assert binomtest(greens, 4_000, gamma).pvalue > 1e-3 / 66


def test_blocks_of_many_tokens_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = Clusters.of([list(range(30)), list(range(40, 47))])
    seeds = np.repeat(np.arange(20, dtype=np.uint64), 50)
    tokens = np.tile(np.arange(50), 20)
    whole = balanced.green(seeds, tokens, 0.5, clusters)
    monkeypatch.setattr(balanced, "_CELLS", 64)
    assert (balanced.green(seeds, tokens, 0.5, clusters) == whole).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=40))
def test_first_of_each_pair_and_its_repeats_stay(pairs: list[tuple[int, int]]) -> None:
    groups = [[0, 1, 2], [4, 5]]
    first: dict[tuple[int, int], int] = {}
    expected = []
    for seed, token in pairs:
        at = next((n for n, group in enumerate(groups) if token in group), None)
        expected.append(at is None or first.setdefault((seed, at), token) == token)
    seeds = np.array([seed for seed, _ in pairs], dtype=np.uint64)
    tokens = np.array([token for _, token in pairs], dtype=np.int64)
    assert balanced.first_of_pairs(seeds, tokens, Clusters.of(groups)).tolist() == expected


def test_two_of_a_cluster_depend_and_what_is_kept_does_not() -> None:
    """The reason for the rule: over seeds, both members of a pair are never green, or red, together."""
    clusters = Clusters.of([[0, 1], [2, 3]])
    seeds = np.random.default_rng(1).integers(0, 2**64, 4_000, dtype=np.uint64)
    colours = [balanced.green(seeds, np.full(4_000, token), 0.5, clusters) for token in (0, 1, 2)]
    assert (colours[0] != colours[1]).all()
    assert binomtest(int((colours[0] == colours[2]).sum()), 4_000, 0.5).pvalue > 1e-4


def test_clusters_are_one_form_of_any_order() -> None:
    one = Clusters.of([[7, 3], [5], [9, 1, 4]])
    assert one.groups() == Clusters.of([[4, 9, 1], [3, 7]]).groups() == [[1, 4, 9], [3, 7]]
    assert one.numbers(np.array([0, 1, 3, 4, 5, 9, 10, 10**6])).tolist() == [-1, 0, 1, 0, -1, 0, -1, -1]
    assert one.below(9).groups() == [[1, 4], [3, 7]]
    assert Clusters.of([]).groups() == []


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[1, 2], [2, 3]], "token id 2 is in two clusters"),
        ([[-1, 2]], "not in 0"),
        ([[1, 1 << 24]], "not in 0"),
        ([list(range(LARGEST + 1))], "are the most"),
    ],
)
def test_wrong_clusters_are_refused(groups: list[list[int]], message: str) -> None:
    with pytest.raises(StelaError, match=message):
        Clusters.of(groups)


def test_colours_need_the_vocabulary() -> None:
    hasher = Fixed(HasherParameters(), 1)
    with pytest.raises(StelaError, match="no vocabulary"):
        hasher.green(np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64"])
def test_other_types_get_the_same_green_list(kind: str) -> None:
    torch = pytest.importorskip("torch")
    hasher = bound()
    seeds = hasher.seeds(np.array([[3], [4]]))
    out = hasher.add_bias(torch.zeros(2, 1_010, dtype=getattr(torch, kind)), seeds, [1.0, 0.0], 1_000)
    row = balanced.green_row(seeds[0], 1_000, 0.5, hasher.clusters)
    assert (out[0, :1_000].bool().numpy() == row).all()
    assert not out[1].any()
    assert not out[0, 1_000:].any()


def test_arrays_are_marked_as_tensors_are(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = bound()
    seeds = hasher.seeds(np.array([[3], [4]]))
    scores = np.random.default_rng(0).normal(size=(2, 1_010)).astype(np.float32)
    fast = hasher.add_bias_to_array(scores, seeds, [1.0, 0.5], 1_000).copy()
    monkeypatch.setattr(fused_bias, "compiled", lambda: None)
    assert (hasher.add_bias_to_array(scores, seeds, [1.0, 0.5], 1_000) == fast).all()
