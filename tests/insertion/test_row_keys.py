"""Rows of one batch under keys of their own: each as it would be alone, under its own key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_models.generation.generate import Sampling, generate

import stela_core as stela
from tests.helpers import OnDemand
from tests.tiers import examples

KEYS = (5, 0xFFFF_FFFF_FFFF_FFFF, 5, 2026)
SCHEMES = ("kgw", "unigram", "sweet", "morphmark", "stela", "learned-text", "ewd")
EACH = ["kgw", *(pytest.param(one, marks=pytest.mark.slow) for one in SCHEMES[1:])]
WIDTH = 8200


def made(scheme: str, key: int, registry: stela.Registry) -> stela.Watermark:
    more: dict[str, Any] = {"tagger": "penn"} if scheme == "stela" else {"language": "en"}
    return stela.create(scheme, model="tiny", key=f"{key:016x}", registry=registry, **more)


@pytest.fixture(scope="module")
def marks(registry: stela.Registry) -> dict[str, list[stela.Watermark]]:
    """By scheme, one watermark for each of the keys."""
    return OnDemand(lambda scheme: [made(scheme, key, registry) for key in KEYS])


ragged = st.lists(st.lists(st.integers(0, 8191), max_size=6), min_size=len(KEYS), max_size=len(KEYS))


@pytest.mark.deep(keep=["kgw", "unigram", "stela"])
@pytest.mark.parametrize("scheme", EACH)
@examples(5)
@given(rows=ragged, seed=st.integers(0, 9))
def test_each_row_is_marked_as_under_its_key_alone(
    marks: dict[str, list[stela.Watermark]], scheme: str, rows: list[list[int]], seed: int
) -> None:
    """Bit for bit, weights too; rows without a context stay as they are."""
    scores = torch.from_numpy(np.random.default_rng(seed).normal(0, 3, (len(KEYS), WIDTH)).astype("f4"))
    batch = marks[scheme][0].marker(keys=KEYS)
    step = batch.step(rows, scores)
    marked = batch.apply(step, scores)
    for row, (mark, ids) in enumerate(zip(marks[scheme], rows, strict=True)):
        alone = mark.marker()
        own = alone.step([ids], scores[row : row + 1])
        assert step.weights[row] == own.weights[0]
        assert step.seeds[row] == own.seeds[0]
        assert torch.equal(marked[row], alone.apply(own, scores[row : row + 1])[0])


@pytest.mark.deep(keep=["kgw"])
@pytest.mark.parametrize("scheme", EACH)
def test_a_batch_is_written_as_row_by_row(
    marks: dict[str, list[stela.Watermark]], registry: stela.Registry, scheme: str
) -> None:
    """Greedy: row r of a batch of four keys is row r of the batch that is under its key alone."""
    model = stela.load_model("tiny", registry=registry)
    prompts = ["The history of the city", "In winter", "The first school was", "After"]
    sampling = Sampling(max_new_tokens=8, min_new_tokens=8, temperature=0)
    [batch] = generate(marks[scheme][0], model, prompts, sampling, len(prompts), KEYS)
    for row, mark in enumerate(marks[scheme]):
        [alone] = generate(mark, model, prompts, sampling, len(prompts))
        assert batch[row] == alone[row]


class KeyedColours(stela.GreenList):
    """Its colours depend on the key beyond the seed."""

    name = "keyed-colours"

    def seeds(self, contexts: Any) -> Any:
        return contexts.sum(axis=1).astype(np.uint64)

    def green(self, seeds: Any, tokens: Any) -> Any:
        return (
            seeds * np.uint64(self.key + 1) + tokens.astype(np.uint64) // np.uint64(self.key + 1)
        ) % 2 == 0


class ByGreenMass(stela.Weighting):
    """One and the probability of the green tokens, of rows that have some."""

    name = "by-green-mass"
    needs = frozenset({"green"})

    def weights(self, positions: stela.Positions) -> Any:
        return 1.0 + np.asarray(positions.green_mass)


@pytest.mark.parametrize("strength", [None, ByGreenMass(ByGreenMass.Parameters())])
@examples(20)
@given(keys=st.lists(st.integers(0, 3), min_size=1, max_size=5), seed=st.integers(0, 9))
def test_hashers_whose_colours_see_the_key(
    marks: dict[str, list[stela.Watermark]], strength: stela.Weighting | None, keys: list[int], seed: int
) -> None:
    """Rows of one key go together, those of others apart: bias and split are those of each alone."""
    mark = marks["kgw"][0]
    parts = replace(mark.parts, strength=strength or mark.parts.strength)
    under = {key: KeyedColours(KeyedColours.Parameters(), key) for key in keys}

    def marker(key: int, rows: Any = None) -> stela.Marker:
        hasher = KeyedColours(KeyedColours.Parameters(), key)
        return stela.Marker(replace(parts, hasher=hasher), mark.tokens, None, 40, marks=rows)

    draws = np.random.default_rng(seed)
    scores = torch.from_numpy(draws.normal(size=(len(keys), 50)).astype("f4"))
    ids = [[token] * count for token, count in draws.integers([2, 0], [40, 3], (len(keys), 2)).tolist()]
    batch = marker(9, [under[key] for key in keys])
    step = batch.step(ids, scores)
    marked, from_array = batch.apply(step, scores), batch(ids, scores.numpy())
    for row, key in enumerate(keys):
        own = marker(key).step([ids[row]], scores[row : row + 1])
        assert (step.seeds[row], step.weights[row]) == (own.seeds[0], own.weights[0])
        alone = marker(key).apply(own, scores[row : row + 1])[0]
        assert torch.equal(marked[row], alone)
        assert torch.equal(torch.from_numpy(from_array[row]), alone)


def test_a_row_without_a_key_is_a_mistake(marks: dict[str, list[stela.Watermark]]) -> None:
    marker = marks["kgw"][0].marker(keys=KEYS[:1])
    with pytest.raises(stela.StelaError, match="row 2 has no key"):
        marker.step([[3], [4]])
