from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_synthid.layer_keys import layer_keys

import stela_core as stela
from stela_core.api import seed_of


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=40))
def test_first_layer_is_the_first_word(keys: list[int]) -> None:
    digits = "".join(f"{key:016x}" for key in keys)
    assert layer_keys(int(digits, 16), len(keys), derived=False).tolist() == keys


@given(st.integers(0, 2**64 - 1), st.integers(1, 64))
def test_derived_keys_are_the_keyed_hash_of_the_layer(key: int, depth: int) -> None:
    keys = layer_keys(key, depth, derived=True)
    assert keys.dtype == np.uint64
    assert keys.tolist() == [seed_of(key, (layer,)) for layer in range(depth)]


@pytest.mark.parametrize(("key", "depth", "derived"), [(2**64, 3, True), (2**192, 3, False), (-1, 2, True)])
def test_a_key_that_does_not_fit_is_refused_and_not_shown(key: int, depth: int, derived: bool) -> None:
    with pytest.raises(stela.StelaError, match="hex digits") as caught:
        layer_keys(key, depth, derived)
    assert str(key) not in str(caught.value)
    assert "\n" not in str(caught.value)
