"""Sentences: where they end, and that text behind them moves none."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stela_sentence.split import LONGEST, MOST_CHARACTERS, MOST_SENTENCES, clean, ends, extended, sentences

import stela_core as stela

SIGNS = "ab D.!?…。！？ \n”\")'1가나的\u200b\u0301"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("Dr. Smith came. He left! And", ["Dr. Smith came.", "He left!"]),
        (
            '"Why?" she said. It cost 3.5 dollars... Fine.',
            ['"Why?"', "she said.", "It cost 3.5 dollars...", "Fine."],
        ),
        ("The U.S. law of J. Doe holds. Next", ["The U.S. law of J. Doe holds."]),
        (
            "A line\nbreak is space. A blank\n\nline ends.",
            ["A line break is space.", "A blank", "line ends."],
        ),
        ("今天很好。我们走吧！“好。”他说", ["今天很好。", "我们走吧！", "“好。”"]),
        ("나는 갔다. 그는 왔다! 그리고", ["나는 갔다.", "그는 왔다!"]),
        ("... !? Words.", ["... !? Words."]),
        ("", []),
        ("no end", []),
    ],
)
def test_sentences(text: str, whole: list[str]) -> None:
    assert sentences(text) == whole


def test_characters_of_no_width_and_forms_change_nothing() -> None:
    assert sentences("Caf\u0065\u0301 is\u200b open.\u200b Yes") == sentences("Caf\u00e9 is open. Yes")


@given(st.text(SIGNS, max_size=40), st.text(SIGNS, max_size=40))
@example("A b.", " C.")
def test_text_behind_a_sentence_and_a_space_moves_no_end(text: str, more: str) -> None:
    text = clean(text + " ")
    whole = clean(text + more)
    if whole.startswith(text):
        # Stops without a word go to the sentence before them; so the last end may move.
        assert ends(whole)[: max(0, len(ends(text)) - 1)] == ends(text)[:-1]


@given(st.lists(st.text(SIGNS, max_size=15), max_size=8))
@example(["A b. c", " 3", "5 is d. e", " Ok. f"])
def test_what_was_accepted_is_split_the_same_ever_after(pieces: list[str]) -> None:
    text, accepted = "", list[str]()
    for piece in pieces:
        longer = extended(text, piece)
        if longer is not None:
            text = longer
            accepted = sentences(text) if not accepted else [*accepted, sentences(text)[-1]]
            assert sentences(text) == accepted
            assert ends(text)[-1] == len(text)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("I go.", "5 is. A"),
        ("He left.", ".. Yes. A"),
        ("I go.", " no end"),
        ("I go.", " ... And"),
        ("好。", "”是。"),
    ],
)
def test_what_would_change_sentences_is_refused(text: str, more: str) -> None:
    assert extended(text, more) is None


@pytest.mark.slow
@pytest.mark.parametrize("unit", [".", ".x", "\n ", "A.", '."', "\n", "。", "a. ", "”", ".)"])
def test_the_time_is_linear(unit: str) -> None:
    start = time.process_time()
    ends(clean((unit * MOST_CHARACTERS)[: MOST_CHARACTERS - 1] + "x"))
    assert time.process_time() - start < 10


def test_a_text_that_is_too_long_gets_one_line() -> None:
    with pytest.raises(stela.StelaError, match="characters, and"):
        sentences("a" * (MOST_CHARACTERS + 1))
    with pytest.raises(stela.StelaError, match="sentences, and"):
        sentences("a. " * (MOST_SENTENCES + 1))
    assert sentences("ab" * LONGEST + ".") == ["ab" * (LONGEST // 2)]
