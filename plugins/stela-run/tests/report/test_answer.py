"""The sentences that a report opens with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel
from stela_run.report.answer import SUMMARY, Answer, answers, read_sentences
from stela_run.report.layout import View
from stela_run.report.read import read_run
from stela_run.report.write import write_report

from .test_pairs import with_scores


def answered(folder: Path) -> list[Answer]:
    return answers(View.of(read_run(folder)))


def scores(shifts: dict[str, float], count: int = 40) -> dict[str, dict[tuple[int, str], float]]:
    """z of each scheme's texts: prompts vary by 2, schemes by 0.5 and a shift."""
    draws = np.random.default_rng(5)
    prompts = draws.normal(5, 2, count)
    return {
        label: {(0, f"t{n}"): float(z) for n, z in enumerate(prompts + draws.normal(shift, 0.5, count))}
        for label, shift in shifts.items()
    }


def test_a_large_difference_is_decided(tmp_path: Path) -> None:
    made = scores({"kgw": 0.0, "stela": 1.0})
    [one] = answered(with_scores(tmp_path / "r", made))
    wanted = ttest_rel(*(list(made[label].values()) for label in ("stela", "kgw")))
    assert one.difference.p == pytest.approx(wanted.pvalue)
    ends = wanted.confidence_interval()
    seen = f"z {one.difference.mean:+.2f} [{ends.low:+.2f}, {ends.high:+.2f}]"
    assert one.text == f"In English, stela finds more than kgw at equal mean bias: {seen} at 50 tokens."


def test_a_small_one_says_how_many_texts_it_would_take(tmp_path: Path) -> None:
    [one] = answered(with_scores(tmp_path / "r", scores({"kgw": 0.0, "stela": 0.0}), bias=1.5))
    assert not one.decided
    assert one.needed is not None
    assert one.needed > 40
    assert one.text.startswith(
        "In English, 40 texts are too few to say whether stela or kgw finds more at unequal"
    )
    assert "would be needed." in one.text


def test_a_divergence_that_both_were_set_to_is_equal_strength(tmp_path: Path) -> None:
    """Their mean biases differ by half: that is not what they have in common."""
    folder = with_scores(tmp_path / "r", scores({"kgw": 0.0, "stela": 1.0}), bias=1.5)
    plan = json.loads((folder / "experiment.json").read_text(encoding="utf-8"))

    def said(*costs: float, aim: str = "divergence") -> Answer:
        schemes = zip(("kgw", "stela"), costs, strict=True)
        plan["experiment"]["schemes"] = [{"name": name, aim: value} for name, value in schemes]
        (folder / "experiment.json").write_text(json.dumps(plan), encoding="utf-8")
        [one] = answered(folder)
        return one

    assert "finds more than kgw at the same divergence, set by a pilot: " in said(0.01, 0.01).text
    assert said(0.01, 0.01).equal
    assert "at the same divergence per key, " in said(0.1, 0.1, aim="divergence_per_key").text
    assert "at unequal mean bias" in said(0.01, 0.02).text
    assert not said(0.01, 0.02).equal


def test_the_words_are_corrected_for_all_sentences(tmp_path: Path) -> None:
    """Three pairs: the smallest p-value is tripled."""
    three = answered(with_scores(tmp_path / "r", scores({"kgw": 0.0, "sweet": 0.1, "stela": 0.2})))
    smallest = min(three, key=lambda one: one.difference.p)
    assert smallest.adjusted == pytest.approx(min(1.0, 3 * smallest.difference.p))
    assert all(one.adjusted >= one.difference.p for one in three)


@pytest.mark.usefixtures("no_figures")
def test_report_and_summary_hold_the_same_sentences(tmp_path: Path) -> None:
    folder = with_scores(tmp_path / "r", scores({"kgw": 0.0, "stela": 1.0}))
    write_report(folder)
    [sentence] = read_sentences(folder / SUMMARY)
    assert sentence in (folder / "report.html").read_text(encoding="utf-8")
    [row] = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))["answers"]
    assert row["decided"] is True
    assert row["difference"]["pairs"] == 40
