"""The hasher and the scheme: who is green, that p-values hold, and that marked text is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import binom
from stela_clusters.balanced import green_reference
from stela_run.testing import make_sample
from stela_testing import GreenListContract, run_cli
from stela_watme.hasher import WatmeHasher

import stela_core as stela
from stela_core.api import TokenBytes, resolve_scheme
from tests.tiny_vocabulary import detector_under

from .conftest import Bound

KEY = 0x0123456789ABCDEF
GOLDEN = [1571, 2010, 2321, 2406, 2568, 2708, 2769, 2880, 3051, 3143, 3350, 3386, 3702, 3788]
SYNONYMS = ((" large", " big"), (" put", " lay", " place", " set"))


class TestWatmeHasher(GreenListContract):
    @pytest.fixture(scope="class")
    @classmethod
    def hasher(cls, bound: Bound) -> stela.GreenList:
        return bound(gamma=0.3)


def ids_of(tokens: TokenBytes, *words: str) -> list[int]:
    by_text = {tokens[index]: index for index in range(len(tokens))}
    return [by_text[word.encode()] for word in words]


def test_golden_colours_in_clusters(bound: Bound) -> None:
    """The first green members of clusters under one key: for ever."""
    hasher = bound(KEY)
    seeds = hasher.seeds(np.array([[17]]))
    members = np.sort(hasher.clusters.members)[:24]
    green = hasher.green(np.repeat(seeds, len(members)), members)
    groups = hasher.clusters.groups()
    assert green.tolist() == [green_reference(int(seeds[0]), v, 0.5, groups) for v in members.tolist()]
    assert members[green].tolist() == GOLDEN


@pytest.mark.parametrize("clusters", ["wordnet", "tiny"])
def test_no_cluster_is_all_red_or_all_green(bound: Bound, clusters: str) -> None:
    """The mutual exclusion: of m interchangeable tokens at most ceil(m / 2) are red, under any seed."""
    hasher = bound(clusters=clusters)
    seeds = hasher.seeds(np.arange(100).reshape(100, 1))
    assert len(hasher.clusters) > 30
    for group in hasher.clusters.groups():
        pairs = np.repeat(seeds, len(group)), np.tile(group, len(seeds))
        green = hasher.green(*pairs).reshape(len(seeds), len(group)).sum(axis=1)
        assert green.min() == len(group) // 2
        assert green.max() == -(-len(group) // 2)


def test_plain_tokens_are_coloured_as_ever(bound: Bound, registry: stela.Registry) -> None:
    hasher = bound(KEY)
    keyed = registry.get(stela.Hasher, "keyed")(stela.HasherParameters(), KEY)
    alone = np.setdiff1d(np.arange(3_000), hasher.clusters.members)
    seeds = np.resize(hasher.seeds(np.arange(50).reshape(50, 1)), len(alone))
    assert (hasher.green(seeds, alone) == keyed.green(seeds, alone)).all()


def test_synonyms_of_wordnet_are_together(bound: Bound, tokens: TokenBytes) -> None:
    clusters = bound().clusters
    for words in SYNONYMS:
        first, *others = clusters.numbers(np.array(ids_of(tokens, *words)))
        assert first >= 0
        assert all(other == first for other in others)
    spaced, bare = clusters.numbers(np.array(ids_of(tokens, " put", "put")))
    assert -1 != spaced != bare != -1


def test_parameters_of_the_hasher_stand_among_those_of_the_scheme(tmp_path: Path) -> None:
    out = tmp_path / "p.stela"
    new = ("profile", "new", "--scheme", "watme", "--model", "tiny", "--public-key", "-o", out)
    assert run_cli(*new, "--param", "clusters=tiny", "--param", "delta=1.5").status == 0
    profile = stela.load(out).profile
    assert profile.hasher.parameters["clusters"] == "tiny"
    assert profile.scheme.parameters["delta"] == 1.5
    assert "clusters" not in profile.scheme.parameters
    for wrong, message in (
        ("cluster=tiny", 'no parameter "cluster"'),
        ("clusters=none", "is not a SHA-256"),
    ):
        refused = run_cli(*new, "--force", "--param", wrong)
        assert refused.status == 2
        assert message in refused.err
        assert refused.err.count("\n") == 1


def test_an_experiment_gives_the_hasher_its_parameters(registry: stela.Registry) -> None:
    sample = make_sample(
        registry, "watme", model="tiny", prompts=("The river",), parameters={"clusters": "tiny"}
    )
    assert sample.watermark.profile.hasher.parameters["clusters"] == "tiny"


def test_parts(registry: stela.Registry) -> None:
    parts = resolve_scheme(registry, "watme")
    names = (parts.scheme.hasher, parts.strength.name, parts.evidence.name)
    assert names == ("watme", "uniform", "uniform")
    assert not parts.needs_model_to_detect


@pytest.mark.parametrize("clusters", ["wordnet", "tiny"])
def test_p_values_hold_on_human_text(human: list[list[int]], clusters: str) -> None:
    """Over random keys, one each: no more small p-values than allowed, to one in a million."""
    mark = stela.create("watme", "tiny", key="public", parameters={"clusters": clusters})
    keys = np.random.default_rng(0).integers(0, 2**63, 200).tolist()
    p = np.array(
        [
            detector_under(mark, key).detect_ids([human[n % len(human)]])[0].p_value
            for n, key in enumerate(keys)
        ]
    )
    for level in (0.5, 0.1, 0.02):
        assert binom.sf((p <= level).sum() - 1, len(p), level) > 1e-6
    assert np.median(p) < 0.75


def test_of_two_interchangeable_tokens_after_one_context_one_is_scored(tokens: TokenBytes) -> None:
    mark = stela.create("watme", "tiny", key="public")
    the, large, big = ids_of(tokens, " the", *SYNONYMS[0])
    detection = mark.detect_ids([[the, large, the, big, the, large] * 3])[0]
    at = detection.evidence.positions.tolist()
    scored = [[the, large, the, big, the, large][t % 6] for t in at]
    assert scored.count(large) == 6
    assert big not in scored


def test_marked_logits_are_found(tokens: TokenBytes) -> None:
    """Sampled from flat logits under the mark: found, and not under another key."""
    mark = stela.create("watme", "tiny", key=KEY, delta=2.0)
    marker, ids = mark.marker(), [[100]]
    generator = torch.Generator().manual_seed(0)
    for _ in range(80):
        scores = marker(ids, torch.zeros(1, len(tokens)))
        ids[0].append(int(torch.multinomial(scores.softmax(-1), 1, generator=generator)))
    assert mark.detect_ids(ids)[0].p_value < 1e-6
    assert detector_under(mark, KEY + 1).detect_ids(ids)[0].p_value > 1e-3


def test_a_profile_keeps_its_clusters(tmp_path: Path) -> None:
    mark = stela.create("watme", "tiny", key="public", parameters={"clusters": "tiny"})
    file = f"{tmp_path}/p.stela"
    mark.save(file)
    again = stela.load(file)
    hasher = again.parts.hasher
    assert isinstance(hasher, WatmeHasher)
    assert hasher.parameters.model_dump() == mark.parts.hasher.parameters.model_dump()
    assert hasher.clusters.groups() == mark.parts.hasher.clusters.groups()  # type: ignore[attr-defined]
