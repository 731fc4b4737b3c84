"""A text's bits under many keys: compiled, by numpy and by each key; the early look finds the least p."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_detection.search.candidates import Candidate
from stela_synthid import many_keys, ngrams
from stela_synthid.hasher import SynthIdHasher, SynthIdParameters
from stela_synthid.layer_keys import layer_keys
from stela_testing.texts import random_text

import stela_core as stela
from stela_core.profile.parts import LoadOptions, open_archive

pytest.importorskip("numba")


@pytest.mark.parametrize("derived", [True, False])
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 40))
def test_sums_are_those_of_each_key(derived: bool, seed: int, depth: int) -> None:
    random, draw = np.random.default_rng(seed), Random(seed)
    parameters = SynthIdParameters(depth=depth, derived=derived, table_size=1 << 12)
    words = SynthIdHasher.key_words(parameters)
    keys: list[int] = []
    while len(keys) < 5:
        key = draw.getrandbits(64 * words)
        apart = {int(own) % (1 << 12) for own in layer_keys(key, depth, derived)}
        keys += [key] if derived or len(apart) == depth else []
    mark = SynthIdHasher(parameters, keys[0])
    contexts, tokens = random.integers(0, 50, (30, 4)), random.integers(0, 50, 30)
    weights = random.integers(0, 9, (30, depth)).astype(np.float64)
    expected = stela.Hasher.sums_under(mark, keys, contexts, tokens, weights).tolist()
    assert mark.sums_under(keys, contexts, tokens, weights).tolist() == expected
    layers = many_keys.layer_keys_under(keys, depth, derived, 1 << 12)
    coins, shifts = mark.coins(mark.seeds(contexts), tokens), ngrams.shifts(layers, 1 << 12)
    assert many_keys.by_numpy(coins, shifts, mark.table, weights).tolist() == expected
    assert many_keys.weighted_bits(coins, shifts, mark.table, weights).tolist() == expected


def test_a_key_whose_layers_share_bits_is_refused() -> None:
    with pytest.raises(stela.StelaError, match="two layers"):
        many_keys.layer_keys_under([5 << 64 | 5], 2, False, 1 << 12)


@pytest.mark.parametrize("layers", ["weighted", "mean"])
def test_the_least_p_is_that_of_testing_all_keys(layers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(3)
    keys = [Candidate(key_id=f"c{n}", key=draw.getrandbits(64)) for n in range(60)]
    made = stela.create("synthid", model="tiny", key=5, parameters={"layers": layers})
    registry = stela.create_registry()
    parts = open_archive(made._created.archive, LoadOptions(registry, candidates=keys))
    mark = stela.Watermark(made._created.archive, None, registry, parts=parts)
    texts = [random_text(n, 20 + 30 * n) for n in range(4)]
    soon = mark.detect_many(texts)
    monkeypatch.setattr("stela_detection.search.early_look.promising", lambda *_: None)
    assert soon == mark.detect_many(texts)
