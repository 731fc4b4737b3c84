"""Which figures a run has, and what they say of themselves."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from math import log
from pathlib import Path

import pytest
from stela_run.report.attacks import attack_panels
from stela_run.report.draw import panel
from stela_run.report.layout import View
from stela_run.report.power import NOMINAL_RATE, power_panels, rate_label, roc_panels
from stela_run.report.rates import Estimate
from stela_run.report.read import Place, read_run
from stela_run.report.spread import perplexity_panels, z_panels

from .helpers import made_up, record, value

pytestmark = pytest.mark.slow


def test_perplexity_where_it_was_measured(tmp_path: Path) -> None:
    values = {
        "perplexity": value(22.0, 20.0, 24.0),
        "perplexity:unmarked": value(20.0, 18.0, 22.0),
        "perplexity:human": value(30.0),
        "log-perplexity-difference": value(log(1.1), 0.0, log(1.2)),
    }
    view = View.of(read_run(made_up(tmp_path / "r", [record(values=values)])))
    [found] = perplexity_panels(view)
    assert found.about == "human text: 30.0; unmarked: 20.0; kgw: 22.0"
    ratio = view.values.perplexity_ratio(Place("m", "en", "kgw", "none", 50))
    assert ratio == pytest.approx(Estimate(1.1, 1.0, 1.2))
    assert not perplexity_panels(View.of(read_run(made_up(tmp_path / "s", [record()]))))


def test_panels_of_several_models_and_lengths(tmp_path: Path) -> None:
    places = [(model, length) for model in ("m", "n") for length in (25, 50, 100, 200)]
    rows = [record(cell=f"{m}{n}", model=m, length=n) for m, n in places]
    experiment = {"models": ["m", "n"]}
    view = View.of(read_run(made_up(tmp_path / "r", rows, experiment, texts=3)))
    assert [found.title for found in z_panels(view)] == [
        "m, English, 200 tokens",
        "n, English, 200 tokens",
    ]
    assert [found.name for found in roc_panels(view)] == [
        f"roc-{model}-en-{length}" for model in "mn" for length in (25, 100, 200)
    ]
    assert rate_label(view) == NOMINAL_RATE, "thirty tests of human text cannot tell 1 %"
    [first, _] = power_panels(view)
    for length in (25, 50, 100, 200):
        found = view.values.nominal(Place("m", "en", "kgw", "none", length))
        assert found is not None
        assert f"{found.value:.2f} at {length}" in first.about


def test_attacks_alone(tmp_path: Path) -> None:
    """Without texts that were not attacked the first attack stands in, and nothing breaks."""
    rows = [
        record(attack=f"cut(share={share})", attack_parameters={"share": share}, cell=f"c{share}")
        for share in (0.1, 0.5)
    ]
    view = View.of(read_run(made_up(tmp_path / "r", rows)))
    [found] = attack_panels(view)
    assert "at 0.1" in found.about
    assert "at 0.5" in found.about


def test_svg_is_a_document_of_its_own() -> None:
    label = "a < b & $c$ \x00 中"
    found = panel("x", label, label, lambda axes: axes.plot([0, 1], [0, 1], label="d"))
    again = panel("x", label, label, lambda axes: axes.plot([0, 1], [0, 1], label="d"))
    assert found.svg == again.svg
    texts = [element.text for element in ET.fromstring(found.svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "a < b & $c$ \ufffd 中" in texts
    assert b"metadata" not in found.svg
