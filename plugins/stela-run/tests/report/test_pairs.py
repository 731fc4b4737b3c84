"""Paired differences: what prompts have in common cancels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from scipy.stats import t
from stela_run.report.layout import View
from stela_run.report.pairs import Difference, differences
from stela_run.report.read import read_run
from stela_run.report.write import write_report
from stela_run.statistics.anytime import anytime

from .helpers import Page, made_up, record, value


def with_scores(
    folder: Path,
    scores: dict[str, dict[tuple[int, str], float]],
    bias: float = 1.0,
    until_decided: bool = False,
) -> Path:
    """A run whose marked texts have these z, by label, and by seed and prompt."""
    biases = dict.fromkeys(scores, 1.0) | {list(scores)[-1]: bias}
    records = [record(label, values={"bias": value(biases[label])}) for label in scores]
    made_up(folder, records, {"until_decided": until_decided})
    rows = []
    for one in records:
        names = ("cell", "model", "language", "scheme", "label", "attack", "length")
        place = {name: one[name] for name in names}
        for (seed, text), z in scores[one["label"]].items():
            rows.append(
                {**place, "seed": seed, "kind": "marked", "text": text, "z": z, "p_value": 10.0 ** -max(z, 0)}
            )
    table = pyarrow.Table.from_pydict({name: [row[name] for row in rows] for name in rows[0]})
    parquet.write_table(table, folder / "scores.parquet")
    return folder


def only(folder: Path) -> Difference:
    [group] = differences(View.of(read_run(folder)))
    [row] = group.rows
    return row


def test_a_small_difference_among_very_different_prompts_is_found(tmp_path: Path) -> None:
    """z of prompts has sd 5, its difference mean 0.5 and sd 0.3; against Student's interval."""
    draws = np.random.default_rng(3)
    prompts = draws.normal(5, 5, 60)
    change = draws.normal(0.5, 0.3, 60)
    first = {(0, f"t{n}"): float(z) for n, z in enumerate(prompts)}
    second = {(0, f"t{n}"): float(z) for n, z in enumerate(prompts + change)}
    shuffled = dict(reversed(second.items()))
    row = only(with_scores(tmp_path / "r", {"kgw": first, "stela": shuffled}))
    assert (row.one, row.other, row.pairs) == ("stela", "kgw", 60)
    assert row.z.value == pytest.approx(change.mean())
    low, high = t.interval(0.95, 59, loc=change.mean(), scale=change.std(ddof=1) / 60**0.5)
    assert row.z.low == pytest.approx(low, abs=0.03)
    assert row.z.high == pytest.approx(high, abs=0.03)
    assert row.text == "stela leaves more evidence"


def test_intervals_of_a_run_that_stopped_when_decided_hold_at_any_time(tmp_path: Path) -> None:
    """They are those of the anytime-valid test of the same differences, and wider than Student's."""
    draws = np.random.default_rng(4)
    change = draws.normal(0.5, 1.0, 40)
    first = {(0, f"t{n:02}"): 4.0 for n in range(40)}
    second = {key: 4.0 + float(d) for key, d in zip(first, change, strict=True)}
    scores = {"kgw": first, "stela": second}
    row = only(with_scores(tmp_path / "r", scores, until_decided=True))
    judged = anytime(change)
    assert (row.z.low, row.z.high, row.p) == pytest.approx((judged.low, judged.high, judged.p))
    fixed = only(with_scores(tmp_path / "s", scores)).z
    assert row.z.value == pytest.approx(fixed.value)
    ends = (row.z.low, fixed.low, fixed.high, row.z.high)
    assert list(ends) == sorted(ends)  # type: ignore[type-var]


def test_texts_that_one_scheme_lacks_are_left_out(tmp_path: Path) -> None:
    first = {(0, "a"): 1.0, (0, "b"): 2.0, (1, "a"): 3.0}
    second = {(0, "b"): 5.0, (1, "a"): 3.0, (1, "b"): 9.0}
    row = only(with_scores(tmp_path / "r", {"kgw": first, "stela": second}))
    assert row.pairs == 2
    assert row.z.value == pytest.approx((3.0 + 0.0) / 2)
    with_scores(tmp_path / "s", {"kgw": {(0, "a"): 1.0}, "stela": {(0, "b"): 1.0}})
    assert differences(View.of(read_run(tmp_path / "s"))) == []


def test_seeds_of_a_prompt_are_no_texts_of_their_own(tmp_path: Path) -> None:
    """Five seeds of four prompts make no narrower interval than the four prompts do."""
    change = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}

    def interval(name: str, seeds: int) -> tuple[float | None, float | None]:
        keys = [(seed, text) for seed in range(seeds) for text in change]
        first = dict.fromkeys(keys, 1.0)
        second = {(seed, text): 1.0 + change[text] for seed, text in keys}
        row = only(with_scores(tmp_path / name, {"kgw": first, "stela": second}))
        return row.z.low, row.z.high

    assert interval("five", 5) == pytest.approx(interval("one", 1))


def test_where_all_pairs_agree_the_interval_says_how_many_could_differ(tmp_path: Path) -> None:
    same = {(0, f"t{n}"): 5.0 for n in range(20)}
    row = only(with_scores(tmp_path / "r", {"kgw": same, "stela": dict(same)}))
    assert row.share.value == 0
    # Clopper and Pearson, no success in 20: 1 - 0.025 ** (1 / 20).
    assert row.share.high == pytest.approx(1 - 0.025 ** (1 / 20))
    assert row.share.low == -row.share.high
    assert row.text == "no detectable difference"


def test_unequal_strength_is_said_with_the_difference(tmp_path: Path) -> None:
    first = {(0, f"t{n}"): 1.0 + n % 3 for n in range(20)}
    second = {key: z + 2 + z / 10 for key, z in first.items()}
    row = only(with_scores(tmp_path / "r", {"kgw": first, "stela": second}, bias=1.5))
    assert row.text == "stela leaves more evidence, not at equal strength"


def test_of_many_schemes_each_is_compared_with_the_first(tmp_path: Path) -> None:
    scores = {name: {(0, "a"): 1.0, (0, "b"): 2.0} for name in "vwxyz"}
    [group] = differences(View.of(read_run(with_scores(tmp_path / "r", scores))))
    assert [(row.one, row.other) for row in group.rows] == [(name, "v") for name in "wxyz"]


@pytest.mark.slow
def test_the_answer_comes_first_and_tables_last(finished: Path) -> None:
    page = Page((finished / "report.html").read_text(encoding="utf-8"))
    ids = [attributes["id"] for attributes in page.of("section")]
    assert ids[:3] == ["answer", "mind", "frontier"]
    assert ids.index("texts") < ids.index("differences") < ids.index("summary") < ids.index("attacked")
    assert "less" in page.text
    assert "pairs of texts" in page.text


@pytest.mark.slow
def test_prompts_and_unmarked_texts_stand_beside_marked_ones(finished: Path) -> None:
    page = Page((finished / "report.html").read_text(encoding="utf-8"))
    assert "<img src=x onerror=alert(0)> In year 0" in page.text, "the prompt, shown as text"
    assert page.text.count("The same model without a mark: z = ") == 2
    assert page.text.count("A person: z = ") == 2
    assert len([a for a in page.of("div") if a.get("class") == "beside"]) == 2


@pytest.mark.slow
def test_the_page_says_where_the_sample_stood_in(tmp_path: Path, finished: Path) -> None:
    made_up(tmp_path / "r", [record()])
    plan = tmp_path / "r" / "experiment.json"
    plan.write_text(plan.read_text().replace('"digest"', '"sample": ["en", "ko"], "digest"'))
    write_report(tmp_path / "r")
    text = Page((tmp_path / "r" / "report.html").read_text(encoding="utf-8")).text
    assert "The small shipped sample stood in for data (en, ko)" in text
    assert "stood in" not in (finished / "report.html").read_text(encoding="utf-8")
