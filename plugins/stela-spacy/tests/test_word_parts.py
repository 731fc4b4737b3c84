"""Parts of words, and the names they are written down by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_spacy.word_parts import AllButLast, First, Last, spec_of

pytest.importorskip("spacy")


@given(st.text(), st.integers(1, 5))
def test_parts(word: str, length: int) -> None:
    assert First(length)(word) == word[:length]
    assert Last(length)(word) == word[-length:]
    shorter = AllButLast(length)(word)
    assert shorter == (word[:-length] if len(word) > length else word)


def test_names() -> None:
    from spacy.lang import lex_attrs

    assert [spec_of(one) for one in (First(2), Last(3), AllButLast())] == [
        ("first", 2),
        ("last", 3),
        ("all-but-last", 1),
    ]
    assert spec_of(lex_attrs.word_shape) == ("shape", 0)
    assert spec_of(lambda word: word) is None
