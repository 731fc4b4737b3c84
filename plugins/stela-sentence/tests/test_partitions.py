"""Regions against slow oracles, transcribed from the authors' code, and golden vectors."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from stela_sentence.calibrate import fit_centres, fit_edges, mean_of
from stela_sentence.ngrams import DIMENSIONS, LENGTH, Ngrams
from stela_sentence.partitions import Bands, Centres, Planes, Vectors

import stela_core as stela

TEXTS = [
    "The history of the city is long.",
    "the HISTORY of the city is long!",
    "Rivers carry sand to the sea.",
    "城市的历史很长。",
    "도시의 역사는 길다.",
    "a of",
]


@pytest.fixture
def vectors() -> Vectors:
    return np.random.default_rng(0).integers(-60, 60, (40, 24))


def cosine(one: Vectors, other: Vectors) -> float:
    return sum(int(a) * int(b) for a, b in zip(one, other, strict=True)) / (
        math.sqrt(sum(int(a) ** 2 for a in one)) * math.sqrt(sum(int(b) ** 2 for b in other))
    )


def test_planes_as_reject_close_generation(vectors: Vectors) -> None:
    """SemStamp: bits by signs, the margin the least absolute cosine with a normal (transcription)."""
    planes = Planes(7, 5, 24)
    regions = planes.regions(vectors)
    for vector, number, margin in zip(vectors, regions.numbers, regions.margins, strict=True):
        near = [cosine(vector, normal) for normal in planes.normals]
        assert number == sum(1 << bit for bit, one in enumerate(near) if one > 0)
        assert margin == pytest.approx(min(map(abs, near)))


def test_centres_as_kmeans_reject_overlap(vectors: Vectors) -> None:
    """k-SemStamp: the nearest by cosine distance, the margin the second's less it (transcription)."""
    centres = vectors[:6] + 1
    regions = Centres(centres).regions(vectors)
    assert regions.contexts is regions.numbers
    for vector, number, margin in zip(vectors, regions.numbers, regions.margins, strict=True):
        distances = [1 - cosine(vector, centre) for centre in centres]
        first, second = sorted(range(6), key=distances.__getitem__)[:2]
        assert number == first
        assert margin == pytest.approx(distances[second] - distances[first])


def test_bands_of_the_cosine_with_the_sentence_before(vectors: Vectors) -> None:
    edges = np.array([-0.2, 0.0, 0.1])
    planes = Planes(7, 5, 24)
    regions = Bands(edges, planes).regions(vectors)
    assert (regions.contexts == planes.regions(vectors).numbers).all()
    for place in range(1, len(vectors)):
        near = cosine(vectors[place - 1], vectors[place])
        assert regions.numbers[place] == sum(near >= edge for edge in edges)
        assert regions.margins[place] == pytest.approx(min(abs(near - edge) for edge in edges))


def test_a_sentence_without_words_is_somewhere() -> None:
    nothing = np.zeros((2, 24), dtype=np.int64)
    planes = Planes(1, 3, 24)
    for partition in (planes, Centres(np.ones((2, 24), dtype=np.int64)), Bands(np.array([0.5]), planes)):
        regions = partition.regions(nothing)
        assert regions.numbers.tolist() == [0, 0]
        assert regions.margins[1] == (0.5 if isinstance(partition, Bands) else 0)


def test_planes_are_balanced() -> None:
    normals = Planes(3, 16, 4096).normals
    assert set(np.unique(normals)) == {-1, 1}
    assert np.abs(normals.mean(axis=1)).max() < 5 / math.sqrt(4096)
    assert np.abs(np.corrcoef(normals) - np.eye(16)).max() < 5 / math.sqrt(4096)


def test_golden_vectors() -> None:
    """A text marked today must be found for ever."""
    made = Ngrams().vectors(TEXTS)
    assert hashlib.sha256(made.astype("<i8").tobytes()).hexdigest()[:16] == "37f55c8d4ca743f4"
    assert Planes(0x0123456789ABCDEF, 8, DIMENSIONS).regions(made).numbers.tolist() == [
        71,
        71,
        31,
        150,
        120,
        0,
    ]


def test_vectors_have_one_length_and_know_no_case() -> None:
    made = Ngrams().vectors(TEXTS)
    assert made.shape == (len(TEXTS), DIMENSIONS)
    assert np.linalg.norm(made[:-1], axis=1) == pytest.approx(np.full(len(TEXTS) - 1, LENGTH), rel=0.05)
    assert (made[0] == made[1]).all()
    assert not made[-1].any()


def test_centres_are_where_the_vectors_are() -> None:
    draws = np.random.default_rng(1)
    true = draws.normal(size=(4, 24))
    vectors = np.rint(100 * np.repeat(true, 50, axis=0) + draws.normal(scale=10, size=(200, 24))).astype(
        np.int64
    )
    centres = fit_centres(vectors, 4, seed=2)
    best = Centres(centres).cosines(np.rint(100 * true).astype(np.int64)).max(axis=1)
    assert (best > 0.99).all()
    assert (np.bincount(Centres(centres).regions(vectors).numbers) == 50).all()


def test_bands_have_equal_shares(human: list[list[str]]) -> None:
    raw = [Ngrams().vectors(some) for some in human]
    texts = [vectors - mean_of(np.concatenate(raw)) for vectors in raw]
    edges = fit_edges(texts, 8)
    numbers = np.concatenate(
        [Bands(edges, Planes(1, 1, DIMENSIONS)).regions(vectors).numbers[1:] for vectors in texts]
    )
    assert np.bincount(numbers, minlength=8) / len(numbers) == pytest.approx(np.full(8, 1 / 8), abs=0.01)


def test_too_little_text_gets_one_line(vectors: Vectors) -> None:
    with pytest.raises(stela.StelaError, match="too few for 5 regions"):
        fit_centres(vectors, 5)
    with pytest.raises(stela.StelaError, match="do not fill 5 bands"):
        fit_edges([vectors], 5)
