"""Parts of words."""

from hypothesis import given
from hypothesis import strategies as st
from stela_spacy.word_parts import AllButLast, First, Last


@given(st.text(), st.integers(1, 5))
def test_parts(word: str, length: int) -> None:
    assert First(length)(word) == word[:length]
    assert Last(length)(word) == word[-length:]
    shorter = AllButLast(length)(word)
    assert shorter == (word[:-length] if len(word) > length else word)
