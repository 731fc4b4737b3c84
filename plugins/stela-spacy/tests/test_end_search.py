"""Suffixes looked for at the end alone, beside a search of the whole word."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stela_spacy.end_search import EndSearch

from tests.tiers import examples

spacy = pytest.importorskip("spacy")

# fmt: off
PARTS = st.sampled_from([
    "the", "Cat", "'s", "’S", "'", ":", ")", "(", "-", ".", "...", "…", ",", "a.m", "10", "km", "km/h", "US$",
    "%", "°C.", "AB.", '"', "é", "중", "🙂", "_", "/", "\u200b", "=", "+", "—", "m²",
    "\n",
])
# fmt: on


@cache
def suffixes(language: str) -> Any:
    return spacy.blank(language).tokenizer.suffix_search


@pytest.mark.deep(keep=["en", "hu", "xx"])
@pytest.mark.parametrize(
    "language",
    [
        "en",
        "hu",
        "xx",
        pytest.param("de", marks=pytest.mark.slow),
        pytest.param("fr", marks=pytest.mark.slow),
    ],
)
@examples(150)
@given(parts=st.lists(PARTS, max_size=12))
@example(parts=["("] * 40)
@example(parts=["..."] * 40)
@example(parts=["10", "km/h"])
@example(parts=["10", "km", "\n"])
@example(parts=["°C."])
def test_match_is_that_of_the_whole_word(language: str, parts: list[str]) -> None:
    word, plain = "".join(parts), suffixes(language)
    quick = EndSearch.of(plain)
    assert isinstance(quick, EndSearch)
    assert quick.__self__ is plain.__self__
    expected, match = plain(word), quick(word)
    assert (match and match.span()) == (expected and expected.span())


@pytest.mark.parametrize("pattern", [r"a$|b", r"(?m)a$", r"(?i)a$", r"[ab]+$", r"(?:a|bc)+$", r"^$|$a"])
def test_what_cannot_be_told_stays(pattern: str) -> None:
    search = re.compile(pattern).search
    assert EndSearch.of(search) is search
    assert EndSearch.of(None) is None
    match = re.compile("a$").match
    assert EndSearch.of(match) is match


@pytest.mark.parametrize("unit", ["(", ".(", "的", "🙂", "a.", "'s"])
def test_places_that_are_tried_grow_with_the_word(unit: str) -> None:
    """Taking all suffixes off: four times the characters, four times the places (of the whole word 16)."""

    class Counting:
        places = 0

        def search(self, word: str, start: int = 0) -> re.Match[str] | None:
            self.places += len(word) - start
            found: re.Match[str] | None = pattern.search(word, start)
            return found

    pattern = suffixes("en").__self__
    quick = EndSearch.of(pattern.search)
    tried = []
    for size in (500, 2_000):
        counting = Counting()
        search = EndSearch(counting, quick._width, quick._endless)  # type: ignore[arg-type]
        word = (unit * size)[:size]
        while match := search(word):
            word = word[: match.start()]
        tried.append(counting.places)
    assert 0 < tried[1] <= 4.5 * tried[0]
