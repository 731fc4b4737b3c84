"""Evidence against cost, what survives each edit, and the sentences of attacked texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_run.report.answer import SUMMARY, answers, attacked_answers, read_sentences, write_answers
from stela_run.report.frontier import frontier, frontier_panels
from stela_run.report.layout import View
from stela_run.report.power import rate, rate_label
from stela_run.report.read import read_run
from stela_run.report.survival import survival_panels

from .helpers import made_up, record, value

NUMBERS = st.floats(-2, 2).map(lambda number: round(number, 1))


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(NUMBERS, NUMBERS), min_size=1))
def test_the_frontier_is_what_none_beats(points: dict[str, tuple[float, float]]) -> None:
    """One for each point that no other is at least as good as in both; equal points are there once."""
    best = frontier(points)
    assert [points[label][0] for label in best] == sorted(points[label][0] for label in best)

    def beaten(own: tuple[float, float]) -> bool:
        return any(of != own and of[0] <= own[0] and of[1] >= own[1] for of in points.values())

    assert {points[label] for label in best} == {own for own in points.values() if not beaten(own)}
    assert len({points[label] for label in best}) == len(best)


def view_of(folder: Path, *costs: float, attacks: tuple[str, ...] = ("none",)) -> View:
    labels = ("kgw", "stela", "gumbel")[: len(costs)]
    rows = [
        record(label, attack=attack, values={"surprisal": value(cost, cost - 0.01, cost + 0.01)})
        for label, cost in zip(labels, costs, strict=True)
        for attack in attacks
    ]
    return View.of(read_run(made_up(folder, rows)))


@pytest.mark.slow
def test_panels(tmp_path: Path) -> None:
    view = view_of(tmp_path / "r", 0.1, 0.0, attacks=("none", "swap"))
    [cost] = frontier_panels(view)
    first, second = cost.about.split("; ")
    assert first.startswith("kgw: ")
    assert " for 0.100" in first
    assert " for 0.000" in second
    assert "on the frontier" in second, "it is cheaper"
    [kept] = survival_panels(view)
    shares = {place: rate(view, place, rate_label(view)) for place in view.run.places}
    for place, share in shares.items():
        assert share is not None
        assert f"{place.label} {share.value:.2f}" in kept.about.split("; ")[place.attack == "swap"]
        assert f"{share.value:.2f}".encode() in kept.svg


def test_where_there_is_no_picture(tmp_path: Path) -> None:
    assert frontier_panels(view_of(tmp_path / "one", 0.1)) == []
    assert survival_panels(view_of(tmp_path / "whole", 0.1, 0.2)) == []


def test_attacked_texts_have_sentences_and_a_correction_of_their_family(tmp_path: Path) -> None:
    view = view_of(tmp_path / "r", 0.1, 0.1, attacks=("none", "swap", "cut"))
    said, attacked = answers(view), attacked_answers(view)
    assert [one.attack for one in said] == [""]
    assert [one.attack for one in attacked] == ["swap", "cut"]
    assert attacked[0].text.startswith("In English after swap, ")
    smallest = min(attacked, key=lambda one: one.difference.p)
    assert smallest.adjusted == pytest.approx(min(1.0, 2 * smallest.difference.p))
    assert said[0].adjusted == said[0].difference.p
    write_answers(tmp_path / SUMMARY, said, attacked, several_models=False)
    sentence, count = read_sentences(tmp_path / SUMMARY)
    assert sentence == said[0].text
    decided = sum(one.decided for one in attacked)
    assert count.startswith(f"After attacks {decided} of 2 comparisons are decided")
    written = json.loads((tmp_path / SUMMARY).read_text(encoding="utf-8"))["attacked"]
    assert [row["sentence"] for row in written] == [one.text for one in attacked]
