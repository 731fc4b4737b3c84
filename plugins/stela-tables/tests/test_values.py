"""Value tables: lookup, files, refusal of what is corrupt."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.counts import TaggerIdentity
from stela_tables.file import parse_any_table, parse_table
from stela_tables.values import Learned, ValueTable, value_table_bytes

import stela_core as stela

LEARNED = Learned("tiny", ("news",), 3, 100, "by hand")
TAGGER = TaggerIdentity("penn", "m", "1", "abc", "Penn", "en")


def by_characters(values: dict[str, int], longest: int = 3) -> ValueTable:
    return ValueTable("expected-gain", "characters", longest, {"": 250, **values}, 240, LEARNED, "en")


def by_tags(values: dict[str, int]) -> ValueTable:
    return ValueTable("expected-gain", "tags", 2, {"": 250, **values}, 240, LEARNED, "en", TAGGER)


def test_longest_known_end_of_the_text_counts() -> None:
    table = by_characters({"e": 300, "he": 100, "the": 50})
    assert table.of_text("the") == table.of_text("lathe") == 0.05
    assert table.of_text("he") == table.of_text("she") == 0.1
    assert table.of_text("e") == 0.3
    assert table.of_text("") == table.of_text("cat") == 0.25


def test_longest_known_tags_count() -> None:
    table = by_tags({"NN": 300, "DT NN": 100})
    assert table.of_tags(("VB", "DT", "NN")) == table.of_tags(("DT", "NN")) == 0.1
    assert table.of_tags(("VB", "NN")) == table.of_tags(("NN",)) == 0.3
    assert table.of_tags(()) == table.of_tags(("NN", "X")) == 0.25
    assert table.k == 3


texts = st.text(alphabet="abc ", max_size=6)


@pytest.mark.slow
@given(st.dictionaries(texts.filter(lambda t: 0 < len(t) <= 4), st.integers(0, 900)), texts)
def test_lookup_equals_the_plain_definition(values: dict[str, int], text: str) -> None:
    table = by_characters(values, longest=4)
    ends = [text[start:] for start in range(len(text) + 1)]
    expected = next({"": 250, **values}[end] for end in ends if end == "" or (end in values))
    assert table.of_text(text) == expected / 1000


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.integers(0, 1000)))
def test_files_give_the_same_table_and_the_same_bytes(values: dict[str, int]) -> None:
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return
    table = by_characters(values)
    data = value_table_bytes(table)
    read = parse_any_table(data, "it")
    assert isinstance(read, ValueTable)
    assert (read.values, read.learned, read.language) == (table.values, LEARNED, "en")
    assert value_table_bytes(read) == data
    assert read.sha256 == table.sha256
    assert read.mean("tokens") == 0.24


def test_means() -> None:
    assert by_characters({"e": 350}).mean("types") == pytest.approx(0.3)
    assert by_characters({"e": 350}).mean("tokens") == 0.24


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": {"a": 1}}, "no value for the empty context"),
        ({"values": {"": 1.5}}, "not a whole number"),
        ({"values": {"": True}}, "not a whole number"),
        ({"values": {"": -1}}, "below 0"),
        ({"values": {"": 1, "abcd": 1}}, "too long"),
        ({"longest": 1000}, "longest"),
        ({"key": "words"}, "neither"),
        ({"mean": 0}, "mean"),
        ({"unit": 10}, "units"),
        ({"tagger": TAGGER._asdict()}, "tags go with a tagger"),
        ({"learned": {"model": "x"}}, ""),
        ({"format": "stela-values/9"}, "this version reads"),
    ],
)
def test_corrupt_files_are_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    content = json.loads(value_table_bytes(by_characters({"e": 1}))) | change
    with pytest.raises(stela.StelaError) as caught:
        parse_any_table(json.dumps(content).encode(), "the table")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.integers(0, 400))
def test_truncated_files_are_refused(length: int) -> None:
    data = value_table_bytes(by_characters({"e": 1}))
    with pytest.raises(stela.StelaError):
        parse_any_table(data[: min(length, len(data) - 2)], "the table")


def test_values_are_no_counts() -> None:
    with pytest.raises(stela.StelaError, match="holds values"):
        parse_table(value_table_bytes(by_characters({})), "the table")
