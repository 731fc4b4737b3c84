"""The hasher and the scheme: seeds by meaning, that p-values hold, and that marked text is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import binom
from stela_lsh.embedding_file import FILES
from stela_lsh.hasher import LshHasher, LshParameters
from stela_testing import GreenListContract

import stela_core as stela
from stela_core.api import TokenBytes, resolve_scheme, seed_of
from tests.tiers import Draws
from tests.tiny_vocabulary import detector_under, require_rows_as_alone

from .conftest import Bound

KEY = 0x0123456789ABCDEF
GOLDEN_HASHES = [70, 199, 198, 165, 68]
GOLDEN_SEEDS = [0xE3AA104DBCB61BE3, 0x3F42D726D47BCF7B]


class TestLshHasher(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, bound: Bound) -> stela.GreenList:
        return bound(gamma=0.3)


class TestOfLongContexts(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, bound: Bound) -> stela.GreenList:
        return bound(context_width=5, bits=11)


def test_golden_hashes_and_seeds(bound: Bound) -> None:
    """Of one key: for ever."""
    contexts = np.arange(100, 120).reshape(10, 2)
    hasher = bound(KEY)
    assert hasher.hashes(contexts)[:5].tolist() == GOLDEN_HASHES
    assert hasher.seeds(contexts)[:2].tolist() == GOLDEN_SEEDS


def slow_hash(key: int, bits: int, vector: list[int]) -> int:
    """The definition in plain integers."""
    number = 0
    for row in range(bits):
        total = 0
        for i, value in enumerate(vector):
            word = seed_of(key, (2**32 - 1, row, i // 64))
            total += value if word >> (i % 64) & 1 else -value
        number |= (total > 0) << row
    return number


def test_hashes_are_the_definition(bound: Bound) -> None:
    hasher = bound(KEY, context_width=3, bits=7)
    contexts = np.random.default_rng(0).integers(0, 9_000, (40, 3))  # some past the vocabulary
    vectors = FILES.read("tiny", None).vectors
    seeds = hasher.seeds(contexts).tolist()
    for context, seed in zip(contexts.tolist(), seeds, strict=True):
        rows = [vectors[token].tolist() for token in context if token < len(vectors)]
        expected = slow_hash(KEY, 7, [sum(column) for column in zip(*rows, strict=True)] or [0] * 32)
        assert seed == seed_of(KEY, (2**32 - 2, expected))


def test_near_contexts_share_seeds_and_far_ones_seldom(bound: Bound) -> None:
    """Equal bits at the angle a have probability 1 - a / pi: here the mean over keys, in its interval."""
    embedding = FILES.read("tiny", None)
    vectors = embedding.vectors.astype(float)
    near = np.array([group[:2] for group in embedding.clusters.groups()])
    angles = np.arccos(np.clip((vectors[near[:, 0]] * vectors[near[:, 1]]).sum(1) / 127**2, -1, 1))
    hashers = [bound(key, context_width=1, bits=1) for key in range(60)]
    kept = np.array([(h.hashes(near[:, :1]) == h.hashes(near[:, 1:])).mean() for h in hashers])
    assert kept.mean() == pytest.approx((1 - angles / np.pi).mean(), abs=0.03)
    eight = bound(1, context_width=1, bits=8)
    far = np.random.default_rng(0).permutation(near[:, 1])
    together = (eight.seeds(near[:, :1]) == eight.seeds(near[:, 1:])).mean()
    assert together > 5 * (eight.seeds(near[:, :1]) == eight.seeds(far[:, None])).mean()


def test_lists_are_even_inside_each_cluster(bound: Bound) -> None:
    hasher = bound()
    seeds = hasher.seeds(np.arange(20).reshape(10, 2))
    groups = hasher.clusters.groups()
    assert len(groups) == 1024
    for group in groups[::17]:
        for seed in seeds:
            green = hasher.green(np.full(len(group), seed), np.array(group)).sum()
            assert green in (len(group) // 2, -(-len(group) // 2))


def test_other_keys_have_other_bits(bound: Bound) -> None:
    contexts = np.random.default_rng(0).integers(0, 8_000, (500, 2))
    one, other = (bound(key).hashes(contexts) for key in (1, 2))
    assert (one == other).mean() < 0.1


def test_parts(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "lsh")
    names = (parts.scheme.hasher, parts.strength.name, parts.evidence.name)
    assert names == ("lsh", "uniform", "uniform")
    assert not parts.needs_model_to_detect


@pytest.mark.parametrize(("bits", "width"), [(8, 2), (2, 1)])
def test_p_values_hold_on_human_text(human: list[list[int]], bits: int, width: int, draws: Draws) -> None:
    """Over random keys, one each; with four seeds alone nearly every token shares a list with another."""
    mark = stela.create("lsh", "tiny", key="public", context_width=width, parameters={"bits": bits})
    keys = np.random.default_rng(0).integers(0, 2**63, draws(200, 60)).tolist()
    rows = [human[n % len(human)] for n in range(len(keys))]
    tested = [detector_under(mark, key).detect_ids([row]) for key, row in zip(keys, rows, strict=True)]
    p = np.array([one[0].p_value for one in tested])
    for level in (0.5, 0.1, 0.02):
        assert binom.sf((p <= level).sum() - 1, len(p), level) > 1e-6
    assert np.median(p) < 0.75


def test_marked_logits_are_found(tokens: TokenBytes) -> None:
    """Sampled from flat logits under the mark: found, and not under another key."""
    mark = stela.create("lsh", "tiny", key=KEY, delta=2.0)
    marker, ids = mark.marker(), [[100, 200]]
    generator = torch.Generator().manual_seed(0)
    for _ in range(80):
        scores = marker(ids, torch.zeros(1, len(tokens)))
        ids[0].append(int(torch.multinomial(scores.softmax(-1), 1, generator=generator)))
    assert mark.detect_ids(ids)[0].p_value < 1e-6
    assert detector_under(mark, KEY + 1).detect_ids(ids)[0].p_value > 1e-3


def test_rows_with_keys_of_their_own_are_marked_as_alone(tokens: TokenBytes) -> None:
    require_rows_as_alone("lsh", tokens)


def test_a_profile_keeps_its_parameters(tmp_path: Path) -> None:
    mark = stela.create("lsh", "tiny", key="public", parameters={"bits": 5})
    mark.save(tmp_path / "p.stela")
    hasher = stela.load(tmp_path / "p.stela").parts.hasher
    assert isinstance(hasher, LshHasher)
    assert hasher.parameters == LshParameters(bits=5)
    assert hasher.key == mark.parts.hasher.key
