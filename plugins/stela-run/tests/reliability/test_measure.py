"""The numbers of a report."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from stela_run.null.shift import Share
from stela_run.reliability.measure import Human, Marked, Reliability, measure
from stela_run.reliability.page import render, suspicious
from stela_run.statistics.shares import clopper_pearson

import stela_core as stela


def text_of(rng: random.Random, words: int) -> str:
    return " ".join("".join(rng.choices("abcdefgh", k=rng.randint(1, 6))) for _ in range(words))


@pytest.fixture(scope="module")
def watermark() -> stela.Watermark:
    return stela.create("kgw", model="tiny", key=11)


@pytest.fixture(scope="module")
def measured(watermark: stela.Watermark) -> Reliability:
    rng = random.Random(5)
    human = [text_of(rng, 90) for _ in range(60)]
    short = [text_of(rng, 12) for _ in range(40)]
    hasher, tokenizer = watermark.parts.hasher, watermark.tokenizer
    ids = np.arange(watermark.profile.vocab_size)
    marked = []
    for _ in range(25):
        row = [rng.randrange(300, 5000)]
        while len(row) < 120:
            green = ids[hasher.green(np.repeat(hasher.seeds(np.array([row[-1:]])), len(ids)), ids)]
            row.append(int(rng.choice(green[300:].tolist())))
        marked.append(tokenizer.decode(row))
    return measure(
        watermark, tokenizer, {"prose": human, "short": short}, {"made": marked}, (25, 50, 400), 100
    )


def test_rates_are_those_of_the_tests(measured: Reliability) -> None:
    """Lengths that a corpus does not have are left out; intervals are Clopper and Pearson's."""
    assert [(row.corpus, row.tokens) for row in measured.human][:2] == [("prose", 25), ("prose", 50)]
    assert {row.tokens for row in measured.human} == {25, 50}
    for row in measured.human:
        assert [share.level for share in row.shares] == [0.1, 0.01, 0.001]
        assert all(0 <= share.low <= share.observed <= share.high <= 1 for share in row.shares)
        assert row.shares[0].observed >= row.shares[1].observed >= row.shares[2].observed
    made = {row.tokens: row for row in measured.marked}
    assert made[50].rate.observed > 0.9
    assert (made[50].rate.low, made[50].rate.high) == clopper_pearson(
        round(made[50].rate.observed * made[50].texts), made[50].texts
    )
    assert json.loads(json.dumps(measured.to_dict()))["shortest"]["made"]["0.8"] == 25


def row_of(tokens: int, power: float, low: float = 0.0) -> Human:
    return Human("c", tokens, 50, 50, 0.0, 1.0, [Share(0.01, 0.02, low, 0.05)], 0.0, power)


@pytest.mark.parametrize(
    ("powers", "shortest"),
    [
        ({25: 0.1, 50: 0.6, 100: 0.9}, {0.5: 50, 0.8: 100, 0.95: None}),
        ({25: 0.99, 50: 0.7, 100: 0.96}, {0.5: 25, 0.8: 100, 0.95: 100}),
        ({25: 0.2}, {0.5: None, 0.8: None, 0.95: None}),
    ],
)
def test_shortest_from_which_on_all_are_found(
    powers: dict[int, float], shortest: dict[float, int | None]
) -> None:
    rows = [row_of(tokens, power) for tokens, power in powers.items()]
    assert Reliability(0.001, rows, []).shortest == {"c (expected)": shortest}


def test_what_is_suspicious() -> None:
    bad = row_of(50, 0.5, low=0.011)
    assert suspicious(Reliability(0.001, [row_of(25, 0.5), bad], [])) == [bad]


def test_too_little_text(watermark: stela.Watermark) -> None:
    with pytest.raises(stela.StelaError, match='corpus "c" has fewer than 20 texts of 25 tokens'):
        measure(watermark, watermark.tokenizer, {"c": ["a few words"] * 30}, {}, (25, 50))


def test_names_are_no_markup(watermark: stela.Watermark, measured: Reliability) -> None:
    evil = "<script>alert(1)</script>"
    rows = [row_of(25, 0.5), row_of(50, 0.7)]
    named = [Human(**{**row.__dict__, "corpus": evil}) for row in rows]
    share = measured.marked[0].rate
    page = render(
        watermark.profile, "0" * 64, Reliability(0.001, named, [Marked(evil, 25, 20, share, 0.1)]), evil, evil
    )
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
