"""The null on human text: documents under 50 random keys each (invariant 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from stela_kernels.many_keys import keyed_seeds_under
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import little_english

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.detection.evidence import Evidence
from stela_core.interfaces import Score
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from tests.helpers import human_english
from tests.tiers import Draws

pytestmark = pytest.mark.slow

DOCUMENTS, TOKENS, KEYS = 2_000, 280, 50


@pytest.fixture(scope="module")
def documents(registry: stela.Registry, draws: Draws) -> list[list[int]]:
    """2,000 documents; in ``make test`` 40."""
    tokenizer, wanted = load_tokenizer(registry, "tiny"), draws(DOCUMENTS, 40)
    text = human_english() if wanted == DOCUMENTS else little_english()[:100_000]
    pieces = [text[i : i + 20_000] for i in range(0, len(text), 20_000)]
    ids = [i for encoding in tokenizer.encode_batch(pieces) for i in encoding.ids]
    found = [ids[i : i + TOKENS] for i in range(0, len(ids) - TOKENS, TOKENS)]
    assert len(found) >= wanted
    return found[:wanted]


def archive(registry: stela.Registry, scheme: str, spec: str = "penn") -> Archive:
    tagger = make_tagger(registry, spec)
    tokenizer = load_tokenizer(registry, "tiny")
    return Settings(scheme).create(registry, tokenizer, 1, public=True, tagger=tagger).archive


def under_keys(mark: stela.Watermark, evidence: Evidence, keys: Sequence[int]) -> list[Score]:
    """Scores of one text under many keys: weights and groups stay, colours change."""
    ids, at = np.array(evidence.ids), evidence.positions
    contexts, places = np.unique(ids[at - 1], return_inverse=True)
    seeds = keyed_seeds_under(keys, contexts[:, None])[:, places]
    hasher = hasher_under(mark, keys[-1])
    greens = hasher.green(seeds.reshape(-1), np.tile(ids[at], len(keys))).reshape(len(keys), -1)
    assert greens[-1].tolist() == hasher.green(hasher.seeds(ids[at - 1, None]), ids[at]).tolist()
    score, weights, groups = mark.parts.scorer.score, evidence.weights, evidence.groups
    return [score(green, weights, groups, hasher.gamma) for green in greens]


def hasher_under(mark: stela.Watermark, key: int) -> KeyedHasher:
    hasher = mark.parts.hasher
    assert type(hasher) is KeyedHasher
    return KeyedHasher(hasher.parameters, key)


@pytest.mark.deep(stand_in="test_grouped_z_and_p_of_stela")
def test_grouped_z_and_p_of_kgw(registry: stela.Registry, documents: list[list[int]]) -> None:
    mark = stela.Watermark(archive(registry, "kgw"), None, registry)
    keys = iter(np.random.default_rng(0).integers(0, 2**63, DOCUMENTS * KEYS).tolist())
    scores = [
        score
        for evidence in mark.detector.evidence(documents)
        for score in under_keys(mark, evidence, [next(keys) for _ in range(KEYS)])
    ]
    z, plain, p = (np.array([getattr(s, name) for s in scores]) for name in ("z", "z_plain", "p_value"))
    assert len(scores) == 100_000
    assert abs(z.mean()) < 0.02
    assert 0.98 < z.std() < 1.02
    assert 0.008 < (p < 0.01).mean() < 0.011
    for alpha in (0.1, 0.01, 1e-3):
        # Valid: at most alpha, to four standard errors of the share.
        assert (p <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert plain.std() > 1.1, "plain z is what grouping is for"
    assert (plain > 4).mean() > 10 * 3.17e-5


@pytest.mark.parametrize("tagger", ["penn", "penn:causal"])
def test_grouped_z_and_p_of_stela(
    registry: stela.Registry, documents: list[list[int]], draws: Draws, tagger: str
) -> None:
    """10,000 scores; in ``make test`` 2,000, of which the bounds are as many standard errors off."""
    mark = stela.Watermark(archive(registry, "stela", tagger), None, registry)
    keys = iter(np.random.default_rng(1).integers(0, 2**63, len(documents) * KEYS).tolist())
    scores = [
        score
        for evidence in mark.detector.evidence(documents[:: draws(10, 1)])
        for score in under_keys(mark, evidence, [next(keys) for _ in range(KEYS)])
    ]
    z, p = (np.array([getattr(s, name) for s in scores]) for name in ("z", "p_value"))
    assert len(scores) == draws(10_000, 2_000)
    few = (10_000 / len(scores)) ** 0.5
    assert abs(z.std() - 1) < 0.03 * few  # four standard errors
    for alpha in (0.1, 0.01, 1e-3):
        assert (p <= alpha).mean() <= alpha + 4 * (alpha * (1 - alpha) / len(p)) ** 0.5
    assert (p <= 0.1).mean() > 0.1 - 0.015 * few, "exact, not merely conservative"
