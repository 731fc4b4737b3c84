from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stela_core.errors import StelaError
from stela_core.hashing import keys

KEY = 0x0123456789ABCDEF


@pytest.mark.slow
@settings(deadline=None, derandomize=True)
@given(
    st.integers(0, 2**64 - 1),
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 3), min_size=width, max_size=width),
            max_size=9,
        )
    ),
)
def test_many_seeds_are_the_single_ones(key: int, contexts: list[list[int]]) -> None:
    width = len(contexts[0]) if contexts else 1
    array = np.array(contexts, dtype=np.int64).reshape(len(contexts), width)
    assert keys.keyed_seeds(key, array).tolist() == [keys.seed_of(key, row) for row in contexts]


def test_seed_is_keyed_blake2b() -> None:
    data = bytes([1, 0, 0, 0, 2, 1, 0, 0])
    digest = blake2b(data, digest_size=8, key=bytes.fromhex("efcdab8967452301"), person=b"stela/hash/1")
    assert keys.seed_of(KEY, (1, 258)) == int.from_bytes(digest.digest(), "little")


def test_key_id_is_frozen_and_public() -> None:
    assert [keys.key_id(key) for key in (0, 1, KEY)] == ["9b15d324", "196162bc", "76f15be0"]
    assert len({keys.key_id(1 << bit) for bit in range(64)}) == 64


def test_new_keys_differ_and_round_trip() -> None:
    made = [keys.new_key() for _ in range(50)]
    assert len(set(made)) == 50
    assert [keys.parse_key(keys.format_key(key)) for key in made] == made


@pytest.mark.parametrize("text", ["0123456789abcdef", " 0x0123456789ABCDEF\n", "0X0123456789abcdef"])
def test_hex_digits_are_the_key(text: str) -> None:
    assert keys.parse_key(text) == KEY


@pytest.mark.parametrize(
    "value",
    ["sesamesesame", "0123456789abcde", "0123456789abcdef0", "", "-123456789abcdef", "０123456789abcdef"],
)
def test_other_text_is_no_key_and_is_not_repeated(value: str) -> None:
    with pytest.raises(StelaError, match="16 hex digits") as caught:
        keys.parse_key(value)
    assert not value or value not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("value", [-1, 2**64, 1.5, True, None])
def test_numbers_that_are_no_key(value: int) -> None:
    with pytest.raises(StelaError, match="64 bits"):
        keys.parse_key(value)


def test_integers_are_taken() -> None:
    assert keys.parse_key(2**64 - 1) == 2**64 - 1
