"""The tail benchmark's short cuts, against the scorer and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from stela_analysis.shares import clustered_clopper_pearson
from stela_run.null.unmarked import Unmarked

import stela_core as stela
from benchmarks.null_tables import LEVELS, null_tables, tail_table
from stela_core.builtin.hashers import KeyedHasher
from stela_core.model_tokenizer import load_tokenizer
from stela_core.profile.create import create_profile
from stela_core.profile.settings import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.statistics.intervals import clopper_pearson
from stela_core.statistics.p_value import lattice_tail
from tests.helpers import human_english

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(4))
def test_table_is_the_tail_of_every_sum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lattice = rng.integers(1, [2, 9, 40, 300][seed], 30)
    gamma = [0.5, 0.25, 0.5, 0.7][seed]
    wanted = [lattice_tail(lattice, s, gamma) for s in range(int(lattice.sum()) + 1)]
    table = tail_table(lattice, gamma)
    assert table[:-1] == pytest.approx(wanted, rel=1e-10)
    assert table[-1] == 0


@pytest.mark.parametrize("scheme", ["kgw", "stela"])
def test_levels_passed_are_those_of_the_scorer(registry: stela.Registry, scheme: str) -> None:
    tokenizer = load_tokenizer(registry, "tiny")
    text = human_english()
    rows = [tokenizer.encode(text[i : i + 600]).ids for i in range(0, 36_000, 600)]
    tagger = make_tagger(registry, "penn")
    archive = create_profile(registry, Settings(scheme), tokenizer, 3, public=True, tagger=tagger).archive
    mark = stela.Watermark(archive, None, registry)
    texts = Unmarked(mark.detector.evidence(rows), mark.parts.hasher, mark.parts.scorer)
    tables = null_tables(texts, 0.5)
    p = []
    for key in range(20):
        hasher = KeyedHasher(KeyedHasher.Parameters(), key)
        p.append(texts.p_values(hasher))
        passed = tables.passed(texts.green(hasher))
        assert passed.tolist() == [sum(value <= level for level in LEVELS) for value in p[-1]]
    assert (np.array(p) <= 0.01).any()


def test_clustered_interval_covers_clustered_trials() -> None:
    """Clusters share a rate: the plain interval misses the truth often, the clustered one rarely."""
    rng = np.random.default_rng(6)
    missed, plain, trials = 0, 0, np.full(60, 200.0)
    for _ in range(300):
        hits = rng.binomial(200, rng.beta(2, 18, 60)).astype(float)
        low, high = clustered_clopper_pearson(hits, trials)
        missed += not low <= 0.1 <= high
        low, high = clopper_pearson(int(hits.sum()), 60 * 200)
        plain += not low <= 0.1 <= high
    assert missed <= stats.binom.isf(1e-4, 300, 0.05)
    assert plain > 100
    independent = rng.binomial(200, 0.1, 60).astype(float)
    assert clustered_clopper_pearson(independent, trials)[1] < 0.115
    assert clustered_clopper_pearson(np.zeros(50), np.full(50, 20.0)) == pytest.approx(
        (0.0, 1 - 0.025 ** (1 / 1000))
    )
