"""Which places count, against a slow oracle, for any texts and any kind of mark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_audit.radioactivity.places import Places, counted, evidence_of

import stela_core as stela

KEY = 0x5EED
IDS = 6
"""So few that contexts and pairs are often repeated."""

rows = st.lists(st.lists(st.integers(0, IDS - 1), max_size=25), min_size=1, max_size=4)


def places_of(mark: stela.Hasher[Any], texts: list[list[int]]) -> Places:
    width = mark.context_width
    pairs = [(row[at - width : at], row[at]) for row in texts for at in range(width, len(row))]
    contexts = np.array([context for context, _ in pairs], dtype=np.int64).reshape(len(pairs), width)
    return Places(contexts, np.array([token for _, token in pairs], dtype=np.int64), np.ones(len(pairs)))


def oracle(places: Places, held: set[tuple[int, ...]], fresh: bool, most: int | None) -> list[bool]:
    """One place after the other, for marks whose draws depend on nothing but context and token."""
    contexts: set[tuple[int, ...]] = set()
    pairs: set[tuple[tuple[int, ...], int]] = set()
    kept = []
    for row, token in zip(places.contexts.tolist(), places.tokens.tolist(), strict=True):
        context = tuple(row)
        new = context not in held and (context, token) not in pairs
        if fresh and context in contexts:
            new = False
        contexts.add(context)
        new = new and (most is None or len(pairs) < most)
        if new:
            pairs.add((context, token))
        kept.append(new)
    return kept


@pytest.fixture(scope="module", params=["keyed", "gumbel"])
def hasher(request: pytest.FixtureRequest, registry: stela.Registry) -> type[stela.Hasher[Any]]:
    return registry.get(stela.Hasher, request.param)


@given(
    texts=rows,
    held=st.lists(st.integers(0, IDS - 1), max_size=8),
    width=st.integers(1, 3),
    fresh=st.booleans(),
    most=st.none() | st.integers(1, 10),
)
def test_counts_what_the_oracle_counts(
    hasher: type[stela.Hasher[Any]],
    texts: list[list[int]],
    held: list[int],
    width: int,
    fresh: bool,
    most: int | None,
) -> None:
    mark = hasher(hasher.Parameters(context_width=width), KEY)
    places = places_of(mark, texts)
    out = [held[at : at + width] for at in range(len(held) - width + 1)]
    kept = counted(mark, places, np.array(out, dtype=np.int64).reshape(-1, width), fresh, most)
    assert kept.tolist() == oracle(places, {tuple(context) for context in out}, fresh, most)


@given(texts=rows, width=st.integers(1, 2), times=st.integers(1, 3))
def test_repeated_texts_add_nothing(
    hasher: type[stela.Hasher[Any]], texts: list[list[int]], width: int, times: int
) -> None:
    mark = hasher(hasher.Parameters(context_width=width), KEY)
    once, often = places_of(mark, texts), places_of(mark, texts * times)
    for fresh in (False, True):
        kept = counted(mark, often, None, fresh)
        assert kept[: len(once.tokens)].tolist() == counted(mark, once, None, fresh).tolist()
        assert not kept[len(once.tokens) :].any()


@given(texts=rows, width=st.integers(1, 2), key=st.integers(0, 2**64 - 1))
def test_no_draw_decides_what_counts(
    hasher: type[stela.Hasher[Any]], texts: list[list[int]], width: int, key: int
) -> None:
    one = hasher(hasher.Parameters(context_width=width), KEY)
    places = places_of(one, texts)
    assert counted(one, places).tolist() == counted(one.under(key), places).tolist()


def test_of_a_cluster_one_token_counts(registry: stela.Registry) -> None:
    """Marks that leave dependent tokens out leave them out here, too, over all texts together."""
    watermark = stela.create(
        "watme", model="tiny-small", key="eb85e1b5530da896", language="en", registry=registry
    )
    mark = watermark.parts.hasher
    assert mark.drops_dependent
    ids = np.arange(2, len(watermark.tokens), dtype=np.int64)
    places = Places(np.full((len(ids), 1), 70), ids, np.ones(len(ids)))
    kept = counted(mark, places)
    free = mark.independent(mark.seeds(places.contexts), ids)
    assert free is not None
    assert kept.tolist() == free.tolist()
    assert not kept.all()


def test_the_detector_judges_what_counts(registry: stela.Registry) -> None:
    """A text without repeats has the p-value that detection gives it."""
    watermark = stela.create(
        "gumbel", model="tiny-small", key="eb85e1b5530da896", language="en", registry=registry
    )
    ids = np.random.default_rng(0).permutation(np.arange(300, 900))
    mark = watermark.parts.hasher
    places = places_of(mark, [ids.tolist()])
    evidence = evidence_of(mark, places.only(counted(mark, places)), watermark.tokens)
    judged = watermark.detector.judge(evidence)
    [detected] = watermark.detect_ids([ids])
    assert judged.p_value == pytest.approx(detected.p_value, rel=1e-9)
    assert judged.unique_pairs == detected.unique_pairs == len(ids) - mark.context_width
