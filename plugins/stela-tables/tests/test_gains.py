"""Tables of gains: measured, classed, written, read, refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.file import parse_any_table, read_any_table
from stela_tables.gains.classes import by_tags, by_values, value_classes, without_idle
from stela_tables.gains.sums import GainSums, gathered
from stela_tables.gains.table import GainTable, gain_table_bytes
from stela_tables.learning.pieces import Batch, batches
from stela_tables.values import Learned, ValueTable, value_table_bytes
from stela_testing import assert_refused, run_cli

import stela_core as stela

MADE = Learned("m", ("c",), 1, 100, "by hand")
STRENGTHS = [0, 1000, 2000]


def effects_of(n: int) -> np.ndarray:
    """(n, 2, 3, 3), each token's its number."""
    return np.arange(n)[:, None, None, None] * np.array([0, 0.001, 0.002]) * np.ones((2, 3, 1))


def table() -> GainTable:
    classed = by_tags(gathered(["A", "A", "B", "C A"], effects_of(4)), 2)
    return GainTable(
        "tags", 2, classed.classes, classed.counts, [700, 1000], STRENGTHS, classed.effects, MADE, "en",
        tagger=None,
    )  # fmt: skip


def values(held: dict[str, int]) -> ValueTable:
    return ValueTable("expected-gain", "characters", 3, held, 200, MADE, "en")


def test_rare_contexts_join_those_that_end_alike() -> None:
    classed = by_tags(gathered(["A", "A", "B", "C A", "D A"], effects_of(5)), 2)
    assert classed.classes == {"": 0, "A": 1}
    assert classed.counts == [1, 4]
    assert classed.effects[0, 0, :, 2].tolist() == [4000, 2000 * (0 + 1 + 3 + 4) // 4]


def test_a_context_without_tokens_left_has_those_of_all_that_end_alike() -> None:
    classed = by_tags(gathered(["A B", "A B", "C B", "C B"], effects_of(4)), 2)
    assert classed.classes == {"": 0, "A B": 1, "B": 2, "C B": 3}
    assert classed.counts == [0, 2, 0, 2]
    assert classed.effects[0, 0, :, 2].tolist() == [3000, 1000, 3000, 5000]


def test_classes_of_text_have_equally_many_tokens() -> None:
    classes = value_classes(["100", "200", "300", "400"], np.array([5, 5, 5, 5]), 2)
    assert [classes[value] for value in (0, 100, 150, 200, 201, 300, 400, 1000)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert value_classes(["7"], np.array([1]), 10) == [0] * 1001
    classed = by_values(
        gathered(["100", "900", "900"], effects_of(3)), values({"": 100, "a": 900, "ba": 800}), 2
    )
    assert classed.classes == {"": 0, "a": 1}
    assert classed.counts == [1, 2]


@given(st.dictionaries(st.text("ab", max_size=4), st.integers(0, 2)), st.text("ab", max_size=8))
def test_idle_contexts_change_no_class(held: dict[str, int], text: str) -> None:
    classes = {"": 1} | held

    def class_among(among: dict[str, int]) -> int:
        return next(among[text[n:]] for n in range(len(text) + 1) if text[n:] in among)

    assert class_among(without_idle(classes)) == class_among(classes)


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = by_values(gathered(["100", "900"], effects_of(2)), values({"": 100, "ß": 900}), 2)
    one = GainTable("characters", 3, made.classes, made.counts, [700, 1000], STRENGTHS, made.effects, MADE)
    path = tmp_path / "gains.json"
    path.write_bytes(gain_table_bytes(one))
    read = read_any_table(path)
    assert isinstance(read, GainTable)
    assert gain_table_bytes(read) == path.read_bytes()
    assert read.sha256 == one.sha256
    assert [read.of_text(text) for text in ("", "a", "Straß")] == [0, 0, 1]
    assert read.k is None
    assert read.curves(1, "surprisal").rise.tolist() == [[0, 0, 0], [0, 0.001, 0.002]]
    with pytest.raises(stela.StelaError, match=r"holds temperature 0.7 and 1, not 0.9") as caught:
        read.curves(0.9, "surprisal")
    assert "temperature=0.7" in caught.value.hint


def test_tags_back_off() -> None:
    made = table()
    assert [made.of_tags(context) for context in ((), ("B",), ("A",), ("X", "Y", "A"))] == [0, 0, 1, 1]
    assert made.k == 3


BROKEN: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda c: c.update(format="stela-gains/2"), "this version reads"),
    (lambda c: c.update(key="words"), "key is neither"),
    (lambda c: c.update(longest=0), "longest"),
    (lambda c: c["classes"].pop(""), "no class for the empty context"),
    (lambda c: c["classes"].update(abcd=0), "a context is too long"),
    (lambda c: c["classes"].update(a=9), "a class is not within 0 and 1"),
    (lambda c: c["classes"].update(a=True), "a class is not a whole number"),
    (lambda c: c.update(counts=[]), "counts is not a list"),
    (lambda c: c.update(counts=[0, 0]), "counts no tokens"),
    (lambda c: c.update(counts=[1, -1]), "one of counts is not within"),
    (lambda c: c.update(temperatures=[1000, 700]), "temperatures do not rise"),
    (lambda c: c.update(temperatures=[0, 700]), "temperatures do not rise"),
    (lambda c: c.update(strengths=[1, 1000, 2000]), "strengths do not rise from 0"),
    (lambda c: c.update(strengths=[0, 1000, 90_000]), "above 20 nats"),
    (lambda c: c["rise"].pop(), "rise does not fit the temperatures"),
    (lambda c: c["rise"][0].pop(), "rise does not fit the classes"),
    (lambda c: c["surprisal"][0][0].pop(), "surprisal does not fit the strengths"),
    (lambda c: c["divergence"][0][0].__setitem__(1, 0.5), "one of divergence is not a whole number"),
    (lambda c: c["rise"][1][1].__setitem__(1, 2_000_000), "a rise is above 1"),
    (lambda c: c["surprisal"][0][0].__setitem__(0, 1), "strength 0 is not 0"),
    (lambda c: c.pop("learned"), "no 'learned'"),
    (lambda c: c.update(tagger={"name": "x"}), "TaggerIdentity"),
]


@pytest.mark.parametrize(("change", "told"), BROKEN)
def test_a_broken_table_is_refused(change: Callable[[dict[str, Any]], Any], told: str) -> None:
    made = by_values(gathered(["100", "900"], effects_of(2)), values({"": 100, "a": 900}), 2)
    one = GainTable("characters", 3, made.classes, made.counts, [700, 1000], STRENGTHS, made.effects, MADE)
    content = json.loads(gain_table_bytes(one))
    change(content)
    with pytest.raises(stela.StelaError) as caught:
        parse_any_table(json.dumps(content).encode(), "table")
    assert told in str(caught.value)


def test_sums_go_on_where_they_were_left(tmp_path: Path) -> None:
    folder = tmp_path / "partial"
    sums = GainSums(folder, {"a": 1})
    sums.add(gathered(["A", "B", "A"], effects_of(3)), [1, 2])
    sums.checkpoint()
    again = GainSums(folder, {"a": 1})
    assert again.place == [1, 2]
    again.add(gathered(["B"], effects_of(4)[3:]), [2, 0])
    whole = again.gathered()
    assert whole.keys == ["A", "B"]
    assert whole.counts.tolist() == [2, 2]
    assert whole.sums[:, 0, 0, 2].tolist() == [4000, 8000]
    with pytest.raises(stela.StelaError, match="other settings"):
        GainSums(folder, {"a": 2})
    for junk in (b"no such thing", b"PK\x03\x04"):
        (folder / "gains.npz").write_bytes(junk)
        with pytest.raises(stela.StelaError, match="is corrupt"):
            GainSums(folder, {"a": 1})


WORDS = ("The city lies on the river.", "It has a market and a wall.", "Most of its people fish.")


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    """Twenty short documents: more than one batch."""
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": f"{WORDS[n % 3]} {n}"}) + "\n" for n in range(20)), "utf-8")
    return str(path)


def test_the_command_goes_on_and_counts_models_alike(
    tmp_path: Path, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after a batch and given again, it writes what it would have written; the table is a mean."""
    out = tmp_path / "gains.json"
    classes = tmp_path / "values.json"
    classes.write_bytes(value_table_bytes(values({"": 100, " ": 900, "e": 300})))
    common = ("--corpus", corpus, "--classes", str(classes), "--bins", "3", "--max-tokens", "5000")
    command = ("lambda", "gains", "--model", "tiny-small", "--model", "tiny-small", *common, "-o", str(out))
    monkeypatch.setattr("stela_tables.gains.sums.EVERY", 0.0)
    monkeypatch.setattr("stela_tables.gains.measure.batches", stopping := Stopping())
    assert run_cli(*command).status
    assert not out.exists()
    stopping.after = 99
    assert "going on after" in run_cli(*command).err
    twice = read_any_table(out)
    assert isinstance(twice, GainTable)
    assert not (tmp_path / "gains.json.partial").exists()
    run_cli("lambda", "gains", "--model", "tiny-small", *common, "-o", str(tmp_path / "once.json"))
    once = read_any_table(tmp_path / "once.json")
    assert isinstance(once, GainTable)
    assert once.effects.tolist() == twice.effects.tolist()
    assert [2 * count for count in once.counts] == list(twice.counts)
    assert (once.effects[:, 0, :, 20] > 0).all()
    shown = json.loads(run_cli("lambda", "show", str(out), "--json").out)
    assert [row["tokens"] for row in shown["classes"]] == [*twice.counts, *twice.counts]


class Stopping:
    """Batches, until whoever waits for them gives up."""

    after = 1

    def __call__(self, *args: Any) -> Iterator[Batch]:
        for number, batch in enumerate(batches(*args)):
            if number >= self.after:
                raise KeyboardInterrupt
            yield batch


def test_the_command_measures_by_tags(tmp_path: Path, corpus: str) -> None:
    out = tmp_path / "tags.json"
    options = ("--tagger", "penn", "--minimum", "20", "--temperature", "1", "-o", str(out))
    run_cli("lambda", "gains", "--model", "tiny-small", "--corpus", corpus, *options)
    made = read_any_table(out)
    assert isinstance(made, GainTable)
    assert made.temperatures == [1000]
    assert made.tagger is not None
    assert made.tagger.name == "penn"
    assert {"", "NN", "DT"} <= set(made.classes)
    assert "(others)" in run_cli("lambda", "show", str(out)).out
    assert_refused(
        run_cli("lambda", "gains", "--model", "m", "--corpus", corpus, "--k", "2", "-o", "x"), "--k"
    )
