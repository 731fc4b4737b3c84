"""The passes in numpy: bit for bit those that numba compiles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_causal import plain
from stela_causal.code_points import code_points
from stela_causal.convolution import affine, residual
from stela_causal.endings import endings, grams_at
from stela_causal.grams import grams, keys_of
from stela_causal.last_words import last_words
from stela_causal.walk import ALL, FIRST, LAST, walked

from tests.tiers import examples

SEEDS = st.integers(0, 2**32 - 1)


def drawn(chance: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    return chance.normal(size=shape).astype(np.float32)


@examples(30)
@given(places=st.integers(0, 40), blocks=st.integers(1, 30), width=st.integers(1, 40), seed=SEEDS)
def test_affine(places: int, blocks: int, width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    given_ = drawn(chance, places, 4 * blocks), drawn(chance, 4 * blocks, width), drawn(chance, width)
    assert plain.affine(*given_).tobytes() == affine(*given_).tobytes()


@examples(30)
@given(places=st.integers(1, 60), dilations=st.lists(st.integers(1, 9), min_size=1, max_size=4), seed=SEEDS)
def test_residual(places: int, dilations: list[int], seed: int) -> None:
    chance = np.random.default_rng(seed)
    layers = [
        (drawn(chance, 3 * (8 if number else 12), 8), drawn(chance, 8)) for number in range(len(dilations))
    ]
    given_ = drawn(chance, places, 12), chance.random(places) < 0.8, layers, dilations
    assert plain.residual(*given_).tobytes() == residual(*given_).tobytes()


@examples(60)
@given(
    text=st.text(st.sampled_from("ab 0é中🙂"), max_size=40),
    lengths=st.sets(st.integers(1, 14), min_size=1, max_size=5),
    bits=st.integers(1, 20),
)
def test_endings(text: str, lengths: set[int], bits: int) -> None:
    points = np.array([ord(char) for char in text], np.int64)
    space = np.array([char == " " for char in text], np.bool_)
    given_ = points, space, np.array(sorted(lengths)), bits
    assert plain.endings(*given_).tolist() == endings(*given_).tolist()


@examples(40)
@given(text=st.text(st.sampled_from("ab 0é中🙂"), max_size=40), known=st.booleans(), bits=st.integers(1, 20))
def test_grams(text: str, known: bool, bits: int) -> None:
    points = np.array([ord(char) for char in text], np.int64)
    pairs = keys_of(code_points("a  b中🙂a0" if known else ""))
    lengths = [2] if known else [1, 2, 3]
    rows = np.zeros((len(points), len(lengths)), np.int64)
    for place in range(len(points)):
        grams_at(points, place, 0, np.array(lengths), bits, *pairs, rows[place])
    assert grams(points, lengths, bits, *pairs).tolist() == rows.tolist()


@examples(60)
@given(
    places=st.integers(1, 30),
    labels=st.integers(1, 5),
    delay=st.integers(0, 3),
    labels_at=st.sampled_from([LAST, FIRST, ALL]),
    seed=SEEDS,
)
def test_walk(places: int, labels: int, delay: int, labels_at: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    kinds = 2 + 2 * labels if labels_at == ALL else 1 + labels
    late, early = drawn(chance, places, kinds), drawn(chance, 6, delay, kinds)
    space = chance.random(places) < 0.2
    bounds = np.sort(chance.integers(0, places + 1, (6, 2)), axis=1)
    starts, ends = bounds[:, 0].copy(), bounds[:, 1].copy()
    sure_from = starts + chance.integers(0, 4, 6)
    for labels_only in (False, True):
        given_ = late, early, chance.permutation(6), space, starts, ends, sure_from
        one, two = (np.zeros((6, 3, 3), np.int64) for _ in range(2))
        expected, got = (
            way(*given_, out, labels_at, labels_only) for way, out in ((last_words, one), (walked, two))
        )
        assert [each.tolist() for each in got] == [each.tolist() for each in expected]
        assert two.tolist() == one.tolist()


def test_numba_is_due_after_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    start = plain.Start(10)
    assert start.is_due(0), "in a program that is not a command of ours"
    monkeypatch.setattr(plain, "own_process", True)
    assert start.is_due(0), "it is there"
    monkeypatch.delitem(plain.sys.modules, "numba")
    assert not start.is_due(10)
    assert not start.is_due(0)
    assert start.is_due(1)
    assert start.is_due(0), "and from then on"
