"""The page in Chromium, wide and as narrow as a phone: nothing runs out of it, nothing lies over another."""

from __future__ import annotations

from pathlib import Path

import pytest
from stela_run.report.strength import CHOOSING, NOT_EQUAL
from stela_run.report.write import write_report

from .browser import measured
from .helpers import Page, made_up, record, value

pytestmark = [
    pytest.mark.slow,
    pytest.mark.deep(stand_in="plugins/stela-run/tests/report/test_page.py::test_it_is_accessible"),
]

WIDTHS = (1280, 390)
LENGTHS = (50, 100, 200)
LONG = "organisation-of-some-length/a-language-model-270m-instruct@v1.0"
ATTACKS = {
    "none": {},
    "edits-delete(share=0.3)": {"share": 0.3},
    "dipper(model=organisation/paraphraser-xxl, loud=True)": {"loud": True},
    "swap(share=0.1)": {"share": 0.1},
    "swap(share=0.5)": {"share": 0.5},
}


@pytest.fixture(scope="module")
def sampling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three schemes, one that chooses tokens, at three lengths, after attacks."""
    return _page(tmp_path_factory.mktemp("sampling"), {"kgw": 1.0, "gumbel": None, "learned-text": 1.05}, "m")


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight schemes with labels of users, under a model with a long name, of unlike strength."""
    labels: dict[str, float | None] = {
        f"scheme-{n}(delta=2.0, table=of-some-corpus.json)": n for n in range(1, 6)
    }
    labels |= {"한국어로 쓴 긴 이름의 방식": 1.0, "W" * 80: 1.0, "gumbel": None}
    return _page(tmp_path_factory.mktemp("long"), labels, LONG)


def _page(folder: Path, biases: dict[str, float | None], model: str) -> Path:
    rows = []
    for attack, parameters in ATTACKS.items():
        for number, (label, bias) in enumerate(biases.items()):
            for length in LENGTHS:
                values = {"perplexity": value(20.0 + number, 19.0, 26.0)}
                values |= {} if bias is None else {"bias": value(bias)}
                facts = {"attack": attack, "attack_parameters": parameters, "length": length, "model": model}
                facts |= {"samples": True} if bias is None else {}
                cell = f"{number}-{list(ATTACKS).index(attack)}-{length}"
                rows.append(record(label, cell=cell, values=values, **facts))
    made_up(folder / "run", rows, {"models": [model, "another"], "lengths": list(LENGTHS)}, texts=12)
    write_report(folder / "run")
    return folder / "run" / "report.html"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("made", ["sampling", "long_names"])
def test_nothing_runs_out_of_the_page(
    request: pytest.FixtureRequest, tmp_path: Path, made: str, width: int
) -> None:
    found = measured(request.getfixturevalue(made), width, tmp_path)
    assert found["figures"] >= 8
    assert found["scroll"] <= found["width"], "no sideways scroll"
    assert found["clipped"] == [], "words of figures that run out of them"
    assert found["outside"] == []
    assert found["overlapping"] == []
    assert found["names"] >= 100, "the names of schemes are not a column of letters"


def test_what_choosing_means_is_said_once_on_top(sampling: Path, long_names: Path, tmp_path: Path) -> None:
    found = measured(sampling, 390, tmp_path)
    assert found["badges"] == [f"⚠ gumbel: {CHOOSING}."]
    text = sampling.read_text(encoding="utf-8")
    assert text.count(CHOOSING) == 1
    assert text.index(CHOOSING) < text.index("<nav")
    assert text.count("gumbel none, it chooses tokens") > 8
    assert "no common strength" in (sampling.parent / "figures" / "z-m-en.svg").read_text(encoding="utf-8")
    # What differs from place to place is said there, of those that have a strength.
    found = measured(long_names, 1280, tmp_path)
    first, *others = found["badges"]
    assert first == f"⚠ gumbel: {CHOOSING}."
    assert set(others) == {f"⚠ {NOT_EQUAL}"}


def test_attacks_are_shown_with_figures_and_differences(sampling: Path) -> None:
    page = Page(sampling.read_text(encoding="utf-8"))
    figures = {path.stem for path in (sampling.parent / "figures").iterdir()}
    assert {"attacks-m-en", "attack-swap-m-en"} <= figures
    svg = (sampling.parent / "figures" / "attacks-m-en.svg").read_text(encoding="utf-8")
    assert "no attack" in svg
    assert "swap" not in svg, "which has a curve"
    assert [a for a in page.of("a") if a.get("href") == "#attacked"]
    captions = [tag for tag, _ in page.tags if tag == "caption"]
    assert len(captions) == len(page.of("table"))
    after = page.text.split("Paired differences after attacks")[1].split("Run it again")[0]
    for attack in list(ATTACKS)[1:]:
        assert f"m, en, 200 tokens, after {attack}" in after
    assert after.count("gumbel less kgw") == len(ATTACKS) - 1
    closed = sampling.read_text(encoding="utf-8").split('id="attacked"')[1].split("</section>")[0]
    assert closed.count("<details") == closed.count("<table"), "tables are folded"


@pytest.mark.parametrize("made", ["sampling", "long_names"])
def test_the_first_sentence_is_on_the_first_screen(
    request: pytest.FixtureRequest, tmp_path: Path, made: str
) -> None:
    """At 390 by 844 pixels, a phone's."""
    assert measured(request.getfixturevalue(made), 390, tmp_path)["answered"] <= 844
