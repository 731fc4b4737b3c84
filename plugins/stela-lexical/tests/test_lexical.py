from __future__ import annotations

import math

import pytest
from stela_lexical import Lexical, LexicalTags, LexicalText
from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable
from stela_tables.values import Learned, ValueTable
from stela_testing import WeightingContract

import stela_core as stela

TAGGER = TaggerIdentity("penn", "m", "1", "abc", "Penn", "en")
MADE = Learned("tiny", ("news",), 3, 100, "by hand")


def counted() -> IndeterminacyTable:
    """After A: B 3 times, C once; after B: always A."""
    grams = {("A", "B"): 3, ("A", "C"): 1, ("B", "A"): 4}
    return IndeterminacyTable.from_counts(2, TAGGER, {"news": NgramCounts(1, 9, grams)})


def gini(key: str, values: dict[str, int]) -> ValueTable:
    tagger = TAGGER if key == "tags" else None
    return ValueTable("token-gini", key, 2, {"": 800, **values}, 790, MADE, "en", tagger)  # type: ignore[arg-type]


class TestLexical(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return Lexical(stela.Parameters(), gini("tags", {"X": 500, "X Y": 100}))


class TestLexicalText(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return LexicalText(stela.Parameters(), gini("characters", {"y": 500, "ty": 100}))


class TestLexicalTags(WeightingContract):
    @pytest.fixture(scope="class")
    @classmethod
    def weighting(cls) -> stela.Weighting:
        return LexicalTags(stela.Parameters(), counted())


def test_tag_entropy_by_hand() -> None:
    weighting = LexicalTags(stela.Parameters(), counted())
    after_a = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    contexts = [("A",), ("B",), ("C", "A"), ()]
    found = weighting.weights(stela.Positions(4, contexts)).tolist()
    whole = [4 / 8, 3 / 8, 1 / 8]
    assert found[:3] == pytest.approx([after_a, 0.0, after_a], abs=1e-9)
    assert found[3] == pytest.approx(-sum(p * math.log(p) for p in whole), abs=1e-9)
    assert weighting.mean("tokens") == pytest.approx(after_a / 2)
    assert weighting.mean("types") == pytest.approx(after_a / 2)


def test_longest_known_context_counts() -> None:
    by_tags = Lexical(stela.Parameters(), gini("tags", {"X": 500, "X Y": 100}))
    contexts = [("X", "Y"), ("Z", "X"), ("Z",)]
    assert by_tags.weights(stela.Positions(3, contexts)).tolist() == [0.1, 0.5, 0.8]
    by_text = LexicalText(stela.Parameters(), gini("characters", {"y": 500, "ty": 100}))
    assert by_text.weights(stela.Positions(3, text=["city", "may", ""])).tolist() == [0.1, 0.5, 0.8]
    assert by_text.mean("tokens") == 0.79


def test_wrong_and_missing_tables_name_the_command() -> None:
    with pytest.raises(stela.StelaError, match="token Gini by tags") as caught:
        Lexical.check_table(gini("characters", {}))
    assert "stela lambda learn --quantity token-gini --tagger T" in caught.value.hint
    with pytest.raises(stela.StelaError, match="reads counts of tags"):
        LexicalTags.check_table(gini("tags", {}))
    with pytest.raises(stela.StelaError, match="goes with one tokenizer"):
        LexicalText.own_table("en", None, None)
