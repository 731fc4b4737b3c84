"""Scrubbing by a real detector's answers, and without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_audit.climb import WORDS
from stela_audit.local import deployment
from stela_audit.scrub import Access, scrub
from stela_models.loaded import Models
from stela_testing import assert_refused, run_cli

import stela_core as stela
from tests.tiers import examples


@pytest.fixture(scope="module")
def kgw() -> stela.Watermark:
    return stela.create("kgw", model="tiny", key="public", delta=4.0)


@pytest.fixture(scope="module")
def marked(registry: stela.Registry, kgw: stela.Watermark) -> str:
    """A text of 60 tokens: the longest of twelve, since the model may end one early."""
    ask = deployment(Models(registry, "cpu").load("tiny"), kgw)(60)
    return max(ask("The history of the city", 12), key=len)


@pytest.mark.parametrize("access", get_args(Access))
def test_the_mark_is_gone_and_the_words_are_counted(
    kgw: stela.Watermark, marked: str, access: Access
) -> None:
    asked: list[str] = []

    def detect(text: str) -> float:
        asked.append(text)
        return kgw.detect(text).p_value

    one = scrub(marked, detect, access, np.random.default_rng(1))
    before, after = marked.split(), one.text.split()
    assert detect(" ".join(before)) < 0.001 < one.p_value == kgw.detect(one.text).p_value
    assert one.words == len(before) == len(after)
    assert one.changed == sum(a != b for a, b in zip(before, after, strict=True)) > 0
    assert {b for a, b in zip(before, after, strict=True) if a != b} <= set(WORDS)
    # The last look is the evaluation's.
    assert one.queries == (0 if access in ("none", "key") else len(asked) - 2)


def test_what_was_changed_was_needed(kgw: stela.Watermark, marked: str) -> None:
    """Of each change that is left, the detector was asked whether it can go, and still found the mark."""
    asked: list[tuple[list[str], float]] = []

    def detect(text: str) -> float:
        p_value = kgw.detect(text).p_value
        asked.append((text.split(), p_value))
        return p_value

    one = scrub(marked, detect, "yes-no", np.random.default_rng(2))
    before, after = marked.split(), one.text.split()
    changed = [place for place, word in enumerate(before) if after[place] != word]
    assert len(changed) == one.changed > 0
    for place in changed:
        others = [other for other in changed if other != place]
        assert any(
            text[place] == before[place] and p_value <= 0.001 and all(text[n] == after[n] for n in others)
            for text, p_value in asked
        )


def test_the_key_needs_the_fewest_words(kgw: stela.Watermark, marked: str) -> None:
    def changed(access: Access) -> float:
        return float(
            np.mean(
                [
                    scrub(
                        marked, lambda text: kgw.detect(text).p_value, access, np.random.default_rng(n)
                    ).changed
                    for n in range(10)
                ]
            )
        )

    assert changed("key") < changed("full") < changed("none")


@examples(30)
@given(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), st.integers(0, 2**32), st.data())
def test_any_detector(words: list[str], seed: int, data: st.DataObject) -> None:
    """Where the p-value is a count of old words, exactly what has to change has changed, or all words."""
    needed = data.draw(st.integers(1, len(words)))
    alphabet = [f"new{n}" for n in range(5)]

    def detect(text: str) -> float:
        return 0.01 if sum(word.startswith("new") for word in text.split()) >= needed else 0.0001

    for access in get_args(Access):
        one = scrub(" ".join(words), detect, access, np.random.default_rng(seed), alphabet)
        assert one.changed == needed
        assert one.p_value == 0.01


def test_it_gives_up(kgw: stela.Watermark, marked: str) -> None:
    detect = lambda text: kgw.detect(text).p_value  # noqa: E731
    one = scrub(marked, detect, "full", np.random.default_rng(0), most=2)
    assert one.queries == 2
    assert one.p_value <= 0.001


def test_the_command_counts_words(kgw: stela.Watermark, marked: str, tmp_path: Path) -> None:
    kgw.save(tmp_path / "p.stela")
    rows = [marked, "too short", "A plain text that a person wrote about the weather of the last two weeks."]
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps({"text": row}) + "\n" for row in rows), encoding="utf-8")
    asked = ("audit", "scrub", "--profile", tmp_path / "p.stela", file)
    [record] = [json.loads(line) for line in run_cli(*asked, "--json").out.splitlines()]
    assert record["scrubbed"] is True
    share = f"{record['changed'] / record['words']:.0%}"
    queries = record["queries"]
    shown = run_cli(*asked, "--rate", queries, "--price", 0.5).out
    assert shown == (
        f"full: 1 of 1 texts scrubbed, {share} of words changed (median), {queries} queries a text, "
        f"1 minutes, a price of {queries / 2:.2f}\n"
    )
    assert run_cli(*asked, "--access", "none").out.count("queries") == 0
    assert run_cli(*asked, "--queries", 1).out == "full: 0 of 1 texts scrubbed\n"


def test_refused(kgw: stela.Watermark, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="too little to scrub with"):
        scrub(" ", lambda text: 0.0, "full", np.random.default_rng())
    kgw.save(tmp_path / "p.stela")
    (tmp_path / "t.txt").write_text("A plain text that a person wrote about the weather of the week.")
    asked = ("audit", "scrub", "--profile", tmp_path / "p.stela")
    assert_refused(run_cli(*asked, tmp_path / "t.txt"), "no text has 10 words")
    assert_refused(run_cli(*asked, tmp_path / "none.txt"), "none.txt")
    assert_refused(run_cli(*asked), "FILE")
