"""Characters, case, punctuation and sentences: worked examples, and properties that hold for every text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import stela_run
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_attacks.edits import Case, Contraction, Emoji, Homoglyph, Punctuation, Sentences, Typo
from stela_attacks.edits.contraction import LONG, SHORT
from stela_attacks.edits.emoji import EMOJI
from stela_attacks.edits.homoglyph import CYRILLIC
from stela_attacks.edits.sentences import split
from stela_attacks.edits.typo import NEIGHBOURS
from stela_detection.canonical.form import canonical_text
from stela_models.loaded import Models
from stela_run.words import WORD, count_words, put_back, share_of

import stela_core as stela

from .making import attack

ENGLISH = "It is not true. I do not know, and you're late; the 3.5 percent they have LEFT. What now?"
TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["city", "Don't", "42", "도시는", "城", "市，", "好。", "e\u0301", "end.", "\n", "? ", "“Yes!”"]
    ),
    max_size=30,
).map(" ".join)
SHARES = st.floats(0, 1)


@pytest.fixture(scope="module")
def circumstances(registry: stela.Registry) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", 0, [], (), Models(registry))


@pytest.mark.parametrize(
    ("kind", "parameters", "text", "expected"),
    [
        (Case, {}, "Paris and ROME", "paris and rome"),
        (Case, {"to": "upper"}, "Paris, 도시", "PARIS, 도시"),
        (Case, {"to": "title"}, "well-known don't", "Well-known Don't"),
        (Homoglyph, {"share": 1}, "ape 城", "аре 城"),
        (Punctuation, {"share": 1}, "One, 3.5; 人民，好。", "One 3.5 人民好"),
        (Contraction, {}, "It is. DO NOT  go", "It's. DON'T  go"),
        (Contraction, {"to": "long"}, "It’s late, I CAN'T; we'll", "It is late, I CANNOT; we will"),
        (Contraction, {}, "éit is what hit is", "éit is what hit is"),
    ],
)
def test_examples(
    kind: type[stela_run.Attack],
    parameters: dict[str, Any],
    text: str,
    expected: str,
    circumstances: stela_run.Circumstances,
) -> None:
    assert attack(kind, **parameters).apply([text], circumstances) == [expected]


@pytest.mark.parametrize(
    ("text", "sentences", "gaps"),
    [
        ("One two. Three (four)! Five? ", ["One two.", "Three (four)!", "Five? "], [" ", " "]),
        ("中国。人民！“好。”说", ["中国。", "人民！", "“好。”", "说"], ["", "", ""]),
        ("title\n\nBody 3.5, “yes.” End", ["title", "Body 3.5, “yes.”", "End"], ["\n\n", " "]),
        ("", [""], []),
        (" \n", [" \n"], []),
    ],
)
def test_sentences_are_cut(text: str, sentences: list[str], gaps: list[str]) -> None:
    assert split(text) == (sentences, gaps)


def test_keys_are_neighbours_both_ways() -> None:
    assert set(NEIGHBOURS["s"]) == set("adwezx")
    assert all(key in NEIGHBOURS[other] for key, others in NEIGHBOURS.items() for other in others)


def test_contractions_are_one_to_one() -> None:
    assert len(LONG) == len(SHORT)


@settings(deadline=None)
@given(TEXTS, SHARES)
def test_typo_changes_no_more_than_the_share(
    circumstances: stela_run.Circumstances, text: str, share: float
) -> None:
    """No gap changes. An error may make the same word again, such as "oo" with letters that trade places."""
    [changed] = attack(Typo, share=share).apply([text], circumstances)
    count = share_of(share, count_words(text))
    assert abs(len(changed) - len(text)) <= count * max((len(word) for word in WORD.findall(text)), default=0)
    if not count:
        assert changed == text


def test_typo_of_every_word_is_one_error(circumstances: stela_run.Circumstances) -> None:
    words = [f"{first}abcdefgh" for first in "qwertyuiopzxv"]
    [changed] = attack(Typo, share=1).apply([" ".join(words)], circumstances)
    for old, new in zip(words, changed.split(), strict=True):
        assert old != new
        assert abs(len(old) - len(new)) <= 1
        assert sum((Counter(old) - Counter(new)).values()) <= 1
    assert {len(new) - len(old) for old, new in zip(words, changed.split(), strict=True)} == {-1, 0, 1}


@settings(deadline=None)
@given(TEXTS, SHARES)
def test_homoglyphs_look_alike(circumstances: stela_run.Circumstances, text: str, share: float) -> None:
    [changed] = attack(Homoglyph, share=share).apply([text], circumstances)
    differ = [(old, new) for old, new in zip(text, changed, strict=True) if old != new]
    assert all(CYRILLIC[old] == new for old, new in differ)
    assert len(differ) == share_of(share, sum(letter in CYRILLIC for letter in text))


def test_canonical_form_undoes_homoglyphs(circumstances: stela_run.Circumstances) -> None:
    [changed] = attack(Homoglyph, share=0.3).apply([ENGLISH], circumstances)
    assert changed != ENGLISH
    assert canonical_text(changed).text == ENGLISH


@settings(deadline=None)
@given(TEXTS, SHARES)
def test_emoji_are_put_in(circumstances: stela_run.Circumstances, text: str, share: float) -> None:
    [changed] = attack(Emoji, share=share).apply([text], circumstances)
    added = Counter(changed) - Counter(text)
    assert set(added) <= {*EMOJI, " "}
    assert sum(added[one] for one in EMOJI) == share_of(share, count_words(text))
    assert WORD.findall(changed) == WORD.findall(text)


@settings(deadline=None)
@given(TEXTS, SHARES)
def test_punctuation_swapped_stays_punctuation(
    circumstances: stela_run.Circumstances, text: str, share: float
) -> None:
    [swapped] = attack(Punctuation, share=share, how="swap").apply([text], circumstances)
    [dropped] = attack(Punctuation, share=share).apply([text], circumstances)
    differ = sum(old != new for old, new in zip(text, swapped, strict=True))
    assert differ == len(text) - len(dropped)
    assert WORD.findall(swapped) == WORD.findall(text)


@settings(deadline=None)
@given(TEXTS)
def test_sentences_are_the_same(circumstances: stela_run.Circumstances, text: str) -> None:
    sentences, gaps = split(text)
    assert put_back(gaps, sentences) == text
    [changed] = attack(Sentences).apply([text], circumstances)
    assert Counter(changed) == Counter(text)


@pytest.mark.parametrize("form", sorted(SHORT))
def test_short_forms_become_long_again(circumstances: stela_run.Circumstances, form: str) -> None:
    [short] = attack(Contraction).apply([form], circumstances)
    assert short == SHORT[form]
    assert attack(Contraction, to="long").apply([short], circumstances) == [form]
