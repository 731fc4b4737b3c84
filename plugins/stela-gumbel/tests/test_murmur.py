from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_gumbel.murmur import hash_words, word

from tests.tiers import examples

WORD = st.integers(0, 2**32 - 1)


@examples(50)
@given(st.lists(WORD, max_size=9))
def test_equals_another_implementation(words: list[int]) -> None:
    """scikit-learn's MurmurHash3_x86_32 of the words' bytes."""
    murmurhash = pytest.importorskip("sklearn.utils").murmurhash3_32
    expected = murmurhash(np.array(words, dtype="<u4").tobytes(), seed=0, positive=True)
    assert hash_words([word(one) for one in words]).tolist() == [expected]


def test_known_answer() -> None:
    assert hash_words([word(int.from_bytes(b"test", "little"))]).tolist() == [0xBA6BD213]
