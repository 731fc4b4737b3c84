"""Texts as code points, against a loop over their characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from stela_causal.code_points import OUTSIDE, WHITE_SPACE, code_points, laid_out

TEXTS = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8), max_size=5)


@given(texts=TEXTS, gap=st.integers(0, 4))
def test_texts_lie_one_behind_the_other(texts: list[str], gap: int) -> None:
    points, starts = laid_out(texts, gap)
    expected: list[int] = []
    begins = []
    for text in texts:
        begins.append(len(expected))
        expected += [*map(ord, text), *[OUTSIDE] * gap]
    assert points.tolist() == expected
    assert starts == begins


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_code_points(text: str) -> None:
    assert code_points(text).tolist() == list(map(ord, text))


def test_white_space_is_all_that_python_holds_for_it() -> None:
    assert set(WHITE_SPACE) == {point for point in range(OUTSIDE) if chr(point).isspace()}
