"""Pieces cut by a tokenizer's patterns, beside what spaCy itself makes of them."""

from __future__ import annotations

import re
from functools import cache
from pydoc_data.topics import topics
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stela_spacy.letters import needs_another
from stela_spacy.rule_words import RuleWords

from tests.tiers import examples

spacy = pytest.importorskip("spacy")

# fmt: off
PARTS = st.sampled_from([
    "the", "Cat", "n't", "'m", "'", ":", ")", "(", "-", ".", "...", ",", "a.m", "10", "km", "$", "%", "http://a.b/c",
    "@", '"', "é", "중", "🙂", "_", "/", "etc", "e.g.", "U.S", "A", "\u200b", "=", "+", "<3", "8", "o'clock",
])
# fmt: on


@cache
def rules(language: str) -> Any:
    return spacy.blank(language).tokenizer


@pytest.mark.deep(keep=["en", "de"])
@pytest.mark.parametrize(
    "language", ["en", pytest.param("de", marks=pytest.mark.slow), pytest.param("fr", marks=pytest.mark.slow)]
)
@examples(150)
@given(parts=st.lists(PARTS, min_size=1, max_size=7))
@example(parts=["(", "the", ")", ",", "."])
@example(parts=["-", ":", ")"])
@example(parts=["the", "-", "the"])
def test_words_are_those_of_spacy(language: str, parts: list[str]) -> None:
    piece = "".join(parts)
    words = RuleWords(rules(language)).words_of(piece)
    assert words is None or words == [token.text for token in rules(language)(piece)]


def test_prose_leaves_spacy_little_to_do() -> None:
    words, english = RuleWords(rules("en")), rules("en")
    pieces = list(dict.fromkeys(" ".join(topics.values()).split()))[:3000]
    cut = {piece: words.words_of(piece) for piece in pieces}
    told = {piece: parts for piece, parts in cut.items() if parts is not None}
    assert len(told) > 0.85 * len(pieces)
    assert {piece: [token.text for token in english(piece)] for piece in told} == told


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"^\.|^[,;]", True),
        (r"(?<=[0-9])(?:km|m)$", True),
        (r"(?<=[a-z])\.(?=[A-Z])", True),
        (r"[^a]-+", True),
        (r"(?:'s|-)+$", True),
        (r"(?:'s|s)$", False),
        (r"-*", False),
        (r"[^\d]", False),
        (r"\w", False),
        (r"(?!x)", False),
        (r"[,a]", False),
        (r"(?i:ſ)", False),
        (r"$", False),
    ],
)
def test_letters_that_an_expression_cannot_match_in(pattern: str, needs: bool) -> None:
    compiled = re.compile(pattern)
    assert needs_another(compiled.search) is needs
    if needs:
        assert not any(compiled.search(word) for word in ("s", "km", "aZ", "xyzs", "가나"))


def test_other_searches_tell_nothing() -> None:
    assert not needs_another(str.find)
    assert not needs_another(re.compile(",", re.IGNORECASE).search)
