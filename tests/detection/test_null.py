"""The null on human text: 2,000 documents under 300 random keys each (invariant 5)."""

from __future__ import annotations

import numpy as np
import pytest

import stela_core as stela
from benchmarks.intervals import clustered
from benchmarks.null_tables import LEVELS, null_tables
from benchmarks.tail import Measured, under_keys
from stela_core.detection.unmarked import Unmarked
from stela_core.generation.load import load_tokenizer
from stela_core.profile.create import Settings, create_profile
from stela_core.tables.tagger_spec import make_tagger
from tests.helpers import human_english

DOCUMENTS, TOKENS, KEYS = 2_000, 280, 300


@pytest.fixture(scope="module")
def documents(registry: stela.Registry) -> list[list[int]]:
    tokenizer = load_tokenizer(registry, "tiny")
    text = human_english()
    pieces = [text[i : i + 20_000] for i in range(0, len(text), 20_000)]
    ids = [i for encoding in tokenizer.encode_batch(pieces) for i in encoding.ids]
    found = [ids[i : i + TOKENS] for i in range(0, len(ids) - TOKENS, TOKENS)]
    assert len(found) >= DOCUMENTS
    return found[:DOCUMENTS]


def watermark(registry: stela.Registry, scheme: str) -> stela.Watermark:
    tagger = make_tagger(registry, "penn")
    tokenizer = load_tokenizer(registry, "tiny")
    made = create_profile(registry, Settings(scheme), tokenizer, 1, public=True, tagger=tagger)
    return stela.Watermark(made.archive, None, registry)


def measured(mark: stela.Watermark, documents: list[list[int]]) -> tuple[Unmarked, Measured]:
    """All documents under the same random keys; tests/benchmarks holds the short cut to the scorer."""
    texts = Unmarked(mark.detector.evidence(documents), 1)
    keys = np.random.default_rng(0).integers(0, 2**63, KEYS).tolist()
    return texts, under_keys(null_tables(texts, mark.parts.hasher.gamma), mark.parts.hasher, keys)


def valid(levels: np.ndarray) -> None:
    """P(p <= a) <= a: nominal lies above the lower end of an interval whose clusters are keys."""
    for number, level in enumerate(LEVELS):
        rates = (levels > number).mean(1)
        assert clustered(rates, levels.shape[1], 0.9999)[0] <= level


def test_grouped_z_and_p_of_kgw(registry: stela.Registry, documents: list[list[int]]) -> None:
    mark = watermark(registry, "kgw")
    texts, (levels, z) = measured(mark, documents)
    assert z.size == 600_000
    # This prose is all of a kind: the mean z of a key has sd 0.45, their mean a standard error of 0.026.
    assert abs(z.mean()) < 0.08
    assert 0.97 < z.std() < 1.03
    assert 0.0075 < (levels > 1).mean() < 0.0115
    valid(levels)
    # Each token its own coin: the same excess over the root of the number of tokens.
    tokens = np.bincount(texts.text, texts.weight)
    plain = z * np.sqrt(np.bincount(texts.text, texts.weight**2) / tokens)
    [one] = mark.detect_ids(documents[:1])
    assert one.z_plain / one.z == pytest.approx(float(plain[0, 0] / z[0, 0]), rel=1e-4)
    assert plain.std() > 1.1, "plain z is what grouping is for"
    assert (plain > 4).mean() > 10 * 3.17e-5


def test_grouped_z_and_p_of_stela(registry: stela.Registry, documents: list[list[int]]) -> None:
    _, (levels, z) = measured(watermark(registry, "stela"), documents[::10])
    assert z.size == 60_000
    assert 0.95 < z.std() < 1.05
    valid(levels)
    assert (levels > 0).mean() > 0.085, "exact, not merely conservative"
