"""Words of a figure in lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from stela_run.report.wrapped import MOST, _width, wrapped

WORDS = st.text(alphabet="abW-/,( =0.中한", max_size=80)


@given(WORDS, st.sampled_from([0.8, 1.3, 4.4]), st.sampled_from([8.5, 10.0]))
def test_every_line_fits_and_no_letter_is_lost(text: str, inches: float, points: float) -> None:
    lines = wrapped(text, inches, points)
    assert lines.replace("\n", "").replace(" ", "") == text.replace(" ", "")
    assert all(_width(line, points) <= inches * 72 for line in lines.split("\n"))


def test_it_breaks_where_words_end() -> None:
    assert wrapped("short", 4.4, 10) == "short"
    assert wrapped("a title\nof two lines", 4.4, 10) == "a title\nof two lines"
    assert wrapped("edits-delete(share=0.3)", 1.3, 9) == "edits-delete(\nshare=0.3)"
    assert len(wrapped("W" * 999, 99, 10).replace("\n", "")) == MOST
