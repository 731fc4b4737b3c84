"""The file of a mark: written, read again, and refused in one line where it says what no mark can."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stela_sentence.create import create_mark
from stela_sentence.mark import CAVEAT, load_mark
from stela_sentence.mark_file import MOST_BYTES, Kind, MarkFile, read_mark_file
from stela_sentence.ngrams import Ngrams

import stela_core as stela
from stela_core.api import trusted

KEY = 0x1234567890ABCDEF


@pytest.mark.parametrize("kind", ["semstamp", "k-semstamp", "simmark"])
def test_a_file_is_read_as_it_was_written(kind: Kind, files: dict[Kind, MarkFile], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(files[kind].to_bytes())
    read = read_mark_file(path)
    assert read.model_dump() == files[kind].model_dump()
    assert read.digest == files[kind].digest
    assert read.to_bytes() == path.read_bytes()


def test_somebody_elses_mark_has_a_caveat(files: dict[Kind, MarkFile], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(files["semstamp"].to_bytes())
    assert load_mark(path).detect("The city is old.").caveat == CAVEAT
    accused = load_mark(path).detect("The city is old. " * 2 + "It rains. " * 30)
    assert (accused.p_value, accused.verdict) == (1.0, "insufficient text")
    assert trusted.add(files["semstamp"])
    assert load_mark(path).detect("The city is old.").caveat is None
    path.write_bytes(path.read_bytes() + b" ")
    assert load_mark(path).detect("The city is old.").caveat == CAVEAT


def test_a_secret_key_is_asked_for_and_checked(
    prose: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STELA_KEY", raising=False)
    path = tmp_path / "m.json"
    path.write_bytes(create_mark("semstamp", Ngrams(), prose[:30], KEY).to_bytes())
    assert f"{KEY:016x}" not in path.read_text()
    with pytest.raises(stela.StelaError, match="is secret"):
        load_mark(path)
    with pytest.raises(stela.StelaError, match="wrong key"):
        load_mark(path, KEY + 1)
    assert load_mark(path, KEY).detect("").verdict == "insufficient text"
    monkeypatch.setenv("STELA_KEY", f"{KEY:016x}")
    assert load_mark(path).detect("").verdict == "insufficient text"


def changed(**fields: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda content: {**content, **fields}


BAD: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda content: [], "not a mark of sentences"),
    (lambda content: {}, "not a mark of sentences"),
    (changed(format="stela-sentence/2"), "not a mark of sentences"),
    (changed(kind="simstamp"), "kind"),
    (changed(kind="semstamp"), "k-semstamp centres"),
    (changed(bits=3), "and no other"),
    (changed(bits=40), "bits"),
    (changed(centres=[[1]]), "centres"),
    (changed(centres=[[1], [2]]), "a number for each"),
    (changed(centres=[[0] * 256] * 2), "is not 0"),
    (changed(centres=[[1] * 256] * 1025), "centres"),
    (changed(mean=[10**6] * 256), "mean"),
    (changed(mean=[1.5] * 256), "mean"),
    (changed(mean=[]), "mean"),
    (changed(mean=[0] * 16, centres=[[1] * 16, [2] * 16]), "has vectors of 16 numbers"),
    (changed(gamma=0.01), "gamma"),
    (changed(gamma="a"), "gamma"),
    (changed(alpha=0.5), "alpha"),
    (changed(margin=-1), "margin"),
    (changed(key=None), "key"),
    (changed(key={"key_id": "00000000", "key": "0" * 16}), "wrong key"),
    (changed(key={"key_id": "xyz"}), "key"),
    (changed(embedder={"name": "word2vec"}), "embedder"),
    (changed(embedder={"name": "model"}), "has a fingerprint"),
    (changed(embedder={"name": "ngrams", "fingerprint": "0" * 64}), "has a fingerprint"),
    (
        changed(embedder={"name": "model", "fingerprint": "0" * 64}),
        "say where it is|sentence-embedding model",
    ),
    (changed(place="/etc"), 'no parameter "place"'),
]


@pytest.mark.parametrize(("change", "says"), BAD)
def test_what_no_mark_says_is_refused_in_one_line(
    change: Callable[[dict[str, Any]], Any], says: str, files: dict[Kind, MarkFile], tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(change(json.loads(files["k-semstamp"].to_bytes()))))
    with pytest.raises(stela.StelaError, match=says) as refused:
        load_mark(path)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("edges", [[], [0.2, 0.1], [0.1, 0.1], [2.0]])
def test_edges_ascend(edges: list[float], files: dict[Kind, MarkFile], tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({**json.loads(files["simmark"].to_bytes()), "edges": edges}))
    with pytest.raises(stela.StelaError, match="edges"):
        read_mark_file(path)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not JSON"),
        (b"[" * 100, "nested|JSON"),
        (b" " * (MOST_BYTES + 1), "larger than"),
        (b"\xff", "JSON"),
    ],
)
def test_what_is_no_json_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(data)
    with pytest.raises(stela.StelaError, match=says):
        read_mark_file(path)
    with pytest.raises(stela.StelaError, match="does not exist"):
        read_mark_file(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("kind", "regions", "says"),
    [("semstamp", 12, "power of two"), ("k-semstamp", 1, "2 to 1024"), ("simmark", 2000, "2 to 1024")],
)
def test_a_number_of_regions_that_cannot_be(kind: Kind, regions: int, says: str, prose: list[str]) -> None:
    with pytest.raises(stela.StelaError, match=says):
        create_mark(kind, Ngrams(), prose, KEY, regions=regions)


def test_a_corpus_without_texts_gets_one_line() -> None:
    with pytest.raises(stela.StelaError, match="no text of two sentences"):
        create_mark("semstamp", Ngrams(), ["one sentence."], KEY)
