from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stela_core.text.windows import reach, window_of, window_starts

TEXT = st.text(st.sampled_from("ab 가나\n\u3000.x"), max_size=120)
UNIT = st.sampled_from(["word", "character"])


@given(TEXT, st.integers(1, 6), UNIT)
def test_window_is_an_idempotent_suffix(text: str, window: int, unit: Literal["word", "character"]) -> None:
    found = window_of(text, window, unit)
    assert text.endswith(found)
    assert window_of(found, window, unit) == found
    assert len(found) <= reach(window, unit)
    if unit == "word":
        assert len(found.split()) <= window


@given(TEXT, st.text(max_size=40), st.integers(1, 6), UNIT)
def test_only_the_reach_decides(
    text: str, before: str, window: int, unit: Literal["word", "character"]
) -> None:
    tail = text[-reach(window, unit) :]
    if len(tail) == reach(window, unit):
        assert window_of(before + tail, window, unit) == window_of(tail, window, unit)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("   ", ""),
        ("one", "one"),
        ("one two three four", "two three four"),
        ("one two three four ", "two three four "),
        ("one two three fo", "two three fo"),
        ("a  b\n c d", "b\n c d"),
    ],
)
def test_last_three_words(text: str, expected: str) -> None:
    assert window_of(text, 3, "word") == expected


def test_text_without_spaces_is_bounded() -> None:
    assert window_of("a" * 100_000, 3, "word") == "a" * 48


@given(TEXT, st.integers(1, 6), UNIT)
def test_starts_are_those_of_the_windows_of_all_prefixes(
    text: str, window: int, unit: Literal["word", "character"]
) -> None:
    ends = [*range(len(text) + 1), len(text)]
    windows = [text[a:b] for a, b in zip(window_starts(text, ends, window, unit), ends, strict=True)]
    assert windows == [window_of(text[:end], window, unit) for end in ends]
    assert window_starts(text, [], window, unit) == []
