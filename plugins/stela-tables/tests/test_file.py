from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from stela_tables.file import parse_table, read_table, write_table
from stela_tables.table import FORMAT, table_bytes

from stela_core.errors import StelaError

from .ngrams import table_of

CORPORA = {"wiki": ["abcabd", "abce"], "news": ["bcabe"]}

GOLDEN = (
    '{"format":"stela-table/1","k":2,"tagger":{"name":"letters","model":"none","version":"1",'
    '"fingerprint":"0123456789abcdef","tagset":"letters","language":"en"},"tags":["a","b","c"],'
    '"corpora":[{"name":"x","documents":2,"tags":5,"counts":{"0":[1,2],"1":[2,1]}}]}\n'
)
"""Written by hand: abc and ab hold a-b twice and b-c once."""


def test_golden_bytes() -> None:
    table = table_of({"x": ["abc", "ab"]}, 2)
    assert table_bytes(table).decode() == GOLDEN
    assert table.sha256 == sha256(GOLDEN.encode()).hexdigest()


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_what_is_written_is_read(tmp_path: Path, k: int) -> None:
    table = table_of(CORPORA, k)
    file = tmp_path / "t.json"
    write_table(file, table)
    again = read_table(file)
    assert table_bytes(again) == file.read_bytes()
    assert again.sha256 == table.sha256 == sha256(file.read_bytes()).hexdigest()
    assert (again.k, again.tagger, again.tags) == (table.k, table.tagger, table.tags)
    assert again.entries == table.entries
    assert again.by_name() == table.by_name()
    assert list(tmp_path.iterdir()) == [file]


def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GOLDEN)
    return found


def corrupt(change: Callable[[dict[str, Any]], Any]) -> bytes:
    found = content()
    change(found)
    return json.dumps(found).encode()


def counts(found: dict[str, Any], value: Any) -> None:
    found["corpora"][0]["counts"] = value


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "is not JSON"),
        (GOLDEN.encode()[:-20], "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is nested deeper than 8"),
        (b"[]", "is not an indeterminacy table"),
        (b'{"a": 1}', "is not an indeterminacy table"),
        (corrupt(lambda c: c.update(format="stela-table/2")), f"this version reads {FORMAT}"),
        (corrupt(lambda c: c.pop("tags")), "no 'tags'"),
        (corrupt(lambda c: c.update(k=9)), "k is not"),
        (corrupt(lambda c: c.update(k=True)), "k is not"),
        (corrupt(lambda c: c.update(k=3)), "a context has not 2 tags"),
        (corrupt(lambda c: c.update(tags=["b", "a", "c"])), "tags are not distinct names in order"),
        (corrupt(lambda c: c.update(tags=["a", "b", 3])), "tags are not distinct names in order"),
        (corrupt(lambda c: c.update(tagger={"name": "x"})), "missing"),
        (corrupt(lambda c: c.update(tagger=3)), "tagger is not an object"),
        (corrupt(lambda c: c.update(corpora=[])), "holds no counts"),
        (corrupt(lambda c: c.update(corpora=3)), "is corrupt"),
        (corrupt(lambda c: c.update(corpora=c["corpora"] * 2)), "names of corpora"),
        (corrupt(lambda c: counts(c, {})), "holds no counts"),
        (corrupt(lambda c: counts(c, {"0": [1, 2], "9": [2, 1]})), "a tag of x has no name"),
        (corrupt(lambda c: counts(c, {"0": [3, 2]})), "a tag of x has no name"),
        (corrupt(lambda c: counts(c, {"0": [1, 0]})), "below 1"),
        (corrupt(lambda c: counts(c, {"0": [1, 2.5]})), "not pairs of numbers"),
        (corrupt(lambda c: counts(c, {"0": [1, 2, 3]})), "not pairs of numbers"),
        (corrupt(lambda c: counts(c, {"0": [1, 10**30]})), "is corrupt"),
        (corrupt(lambda c: counts(c, {"0": [1, 6]})), "does not fit its counts"),
        (corrupt(lambda c: counts(c, {"1": [2, 1], "0": [1, 2]})), "not in order"),
        (corrupt(lambda c: counts(c, {"0": [1, 1, 1, 1]})), "not in order"),
        (corrupt(lambda c: counts(c, {"x": [1, 2]})), "is corrupt"),
        (corrupt(lambda c: counts(c, {"0": 3})), "is corrupt"),
    ],
)
def test_bad_bytes_are_one_clear_line(data: bytes, expected: str) -> None:
    with pytest.raises(StelaError) as error:
        parse_table(data, 'table "t.json"')
    assert error.value.message.startswith('table "t.json" ')
    assert expected in error.value.message
    assert error.value.hint
    assert "\n" not in str(error.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(StelaError, match="does not exist"):
        read_table(tmp_path / "none.json")
    with pytest.raises(StelaError, match="cannot be read"):
        read_table(tmp_path)
    with pytest.raises(StelaError, match="cannot write"):
        write_table(tmp_path / "none" / "t.json", table_of(CORPORA, 2))


def test_a_table_that_no_reader_takes_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted as the reader counts: at the limit it is written and read, beyond it neither."""
    table = table_of(CORPORA, 3)
    contexts = sum(len(corpus["counts"]) for corpus in json.loads(table_bytes(table))["corpora"])
    monkeypatch.setattr("stela_tables.file.MAX_TAGS", contexts * 3)
    write_table(tmp_path / "t.json", table)
    assert read_table(tmp_path / "t.json").contexts == table.contexts
    monkeypatch.setattr("stela_tables.file.MAX_TAGS", contexts * 3 - 1)
    with pytest.raises(StelaError, match=f"the table has {contexts} contexts of k = 3"):
        write_table(tmp_path / "more.json", table)
    assert not (tmp_path / "more.json").exists()
    with pytest.raises(StelaError, match="contexts"):
        read_table(tmp_path / "t.json")
