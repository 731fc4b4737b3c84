from __future__ import annotations

import random
from pathlib import Path

import pytest
from stela_tables import count as count_module
from stela_tables.build import build_tables
from stela_tables.table import table_bytes

import stela_core as stela

from .conftest import WriteCorpus
from .ngrams import count, table_of


def texts(seed: int, documents: int = 40, words: int = 30) -> list[str]:
    rng = random.Random(seed)
    return [
        " ".join(rng.choices(["a", "b", "c", "d", "e"], [5, 4, 3, 2, 1], k=words)) for _ in range(documents)
    ]


def test_one_pass_makes_the_tables_of_all_k(letters: stela.Registry, write_corpus: WriteCorpus) -> None:
    one, other = texts(1), texts(2)
    files = [write_corpus("one.jsonl", one), write_corpus("other.jsonl", other)]
    built = build_tables(letters, "letters", files, [1, 2, 3])
    corpora = {"one": [t.split() for t in one], "other": [t.split() for t in other]}
    assert sorted(built.tables) == [1, 2, 3]
    for k, table in built.tables.items():
        assert table.by_name() == table_of(corpora, k).by_name()
        assert table.tagger.name == "letters"
        assert (table.tagger.tagset, table.tagger.language) == ("letters", "en")
    assert built.bad == {"one": 0, "other": 0}


@pytest.mark.slow
def test_equal_bytes_for_any_number_of_workers(
    letters: stela.Registry, write_corpus: WriteCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(count_module, "SHARD", 300)  # many shards
    files = [write_corpus("one.jsonl", texts(1)), write_corpus("other.jsonl", texts(2))]
    alone, two = (build_tables(letters, "letters", files, [3], workers=n).tables[3] for n in (1, 2))
    assert table_bytes(alone) == table_bytes(two)
    corpora = {"one": [t.split() for t in texts(1)], "other": [t.split() for t in texts(2)]}
    assert two.by_name()["other"] == count(corpora["other"], 3)


def test_progress_counts_the_bytes_of_the_files(letters: stela.Registry, write_corpus: WriteCorpus) -> None:
    file = write_corpus("one.jsonl", texts(1))
    steps: list[int] = []
    build_tables(letters, "letters", [file], [2], advance=steps.append)
    assert sum(steps) == file.stat().st_size


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_errors_of_the_tagger_are_one_line(
    letters: stela.Registry, write_corpus: WriteCorpus, workers: int
) -> None:
    file = write_corpus("one.jsonl", ["a b c !raises"])
    with pytest.raises(
        stela.StelaError, match="failed on a text that begins 'a b c !raises': IndexError: no such"
    ):
        build_tables(letters, "letters", [file], [2], workers)
    with pytest.raises(stela.StelaError, match=r'unknown tagger "leters".* did you mean "letters"'):
        build_tables(letters, "leters", [file], [2], workers)
    with pytest.raises(stela.StelaError, match=r"cannot run here.* pip install letters"):
        build_tables(letters, "letters-unavailable", [file], [2], workers)


@pytest.mark.slow
def test_a_worker_that_dies(letters: stela.Registry, write_corpus: WriteCorpus) -> None:
    file = write_corpus("one.jsonl", ["a b", "!dies"])
    with pytest.raises(stela.StelaError, match="a worker process died"):
        build_tables(letters, "letters", [file], [2], workers=2)


def test_a_bad_line_stops_workers_too(letters: stela.Registry, tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text('{"text": "a b c"}\nnot json\n')
    for workers in (1, 2):
        with pytest.raises(stela.StelaError, match=r"c\.jsonl:2 is not JSON"):
            build_tables(letters, "letters", [file], [2], workers)
    assert build_tables(letters, "letters", [file], [2], skip_bad=True).bad == {"c": 1}


def test_corpora_without_tags(letters: stela.Registry, write_corpus: WriteCorpus, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_bytes(b"")
    good = write_corpus("good.jsonl", ["a b"])
    for file in (empty, write_corpus("blank.jsonl", ["", " "])):
        with pytest.raises(stela.StelaError, match=f"{file.name}.* holds no tags"):
            build_tables(letters, "letters", [good, file], [2])
    with pytest.raises(stela.StelaError, match="no document has 3 tags"):
        build_tables(letters, "letters", [good], [3])
    for ks in ([0], [9], []):
        with pytest.raises(stela.StelaError, match="k from 1 to 8"):
            build_tables(letters, "letters", [good], ks)


@pytest.mark.deep(stand_in="test_equal_bytes_for_any_number_of_workers")
@pytest.mark.slow
def test_korean_in_two_processes(registry: stela.Registry, write_corpus: WriteCorpus) -> None:
    pytest.importorskip("kiwipiepy")
    korean = ["한국의 역사는 오래되었고 그 문화는 다양하다. 사람들은 봄에 산을 오른다."] * 3
    file = write_corpus("ko.jsonl", korean)
    table = build_tables(registry, "sejong", [file], [3], workers=2).tables[3]
    assert table_bytes(table) == table_bytes(build_tables(registry, "sejong", [file], [3]).tables[3])
    # Noun and genitive particle, then one tag alone: a noun.
    assert table.lookup(("NNP", "JKG")) == 0.0
    assert table.by_name()["ko"].counts["NNP", "JKG", "NNG"] == 3
