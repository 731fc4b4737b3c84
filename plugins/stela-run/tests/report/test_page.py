"""The page: whole, safe, self-contained, the same every time."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from stela_run.report.write import write_report

import stela_core as stela

from .helpers import Page, made_up, record, value

FILES = ("report.html", "summary.csv", "summary.md")


def page_of(folder: Path) -> Page:
    return Page((folder / "report.html").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_run_writes_its_report(finished: Path) -> None:
    page = page_of(finished)
    names = {path.name for path in (finished / "figures").iterdir()}
    assert names == {
        "forest-tiny-small-z-0.svg",
        "power-tiny-small-en.svg",
        "roc-tiny-small-en-10.svg",
        "roc-tiny-small-en-20.svg",
        "z-tiny-small-en.svg",
        "null-tiny-small-en.svg",
        "attack-chop-tiny-small-en.svg",
        "frontier-tiny-small-en.svg",
        "survival-tiny-small-en.svg",
    }
    assert len(page.of("figure")) == len(names)
    for heading in ("Summary", "ROC curves", "Marked texts", "Failures", "Run it again", "Times"):
        assert heading in page.text
    assert (finished / "report.html").stat().st_size < 1_000_000


@pytest.mark.slow
def test_it_is_accessible(finished: Path) -> None:
    page = page_of(finished)
    assert page.of("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(page.of("caption")) == len(page.of("table"))
    assert all(attributes.get("scope") in ("col", "row", "rowgroup") for attributes in page.of("th"))
    for svg in page.of("svg"):
        assert svg["role"] == "img"
        assert svg["aria-label"]
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in page.tags:
        target = attributes.get("xlink:href") or (attributes.get("href") if tag == "a" else None)
        if target:
            assert target.removeprefix("#") in ids, f"{target} leads nowhere"


@pytest.mark.slow
def test_it_fetches_nothing(finished: Path) -> None:
    text = (finished / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not page.of("script")
    assert not page.of("img")
    for tag, attributes in page.tags:
        for name, target in attributes.items():
            if name in ("src", "href", "xlink:href", "data", "srcset", "action"):
                assert str(target).startswith(("#", "data:")), (tag, name, target)
    assert not re.search(r"@import|url\((?!#f\d+-\d+-)", text)


@pytest.mark.slow
def test_hostile_text_is_shown_and_does_nothing(finished: Path) -> None:
    page = page_of(finished)
    assert "</title><script>alert('title')</script>" in page.text
    assert 'Is <b>this</b> "safe" & $sound$?' in page.text
    assert "<script>alert('label')</script>" in page.text
    assert "<i>no</i> such luck. hint: try & try again" in page.text
    assert not page.of("b")
    assert not page.of("i")
    assert not [attributes for _, attributes in page.tags for name in attributes if name.startswith("on")]
    for svg in (finished / "figures").iterdir():
        assert "<script" not in svg.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_tokens_keep_their_text(tmp_path: Path) -> None:
    tokens = ["<b>", "&amp;", '"', "  \n", "\x00\x1b[31m", "\ud83d", "中", "{{ 7 * 7 }}"]
    example: list[list[Any]] = [[text, True, 0.5, ["</span>"]] for text in tokens]
    made_up(tmp_path / "r", [record()], example=example)
    write_report(tmp_path / "r")
    page = page_of(tmp_path / "r")
    assert '<b>&amp;"  \n�\ufffd[31m�中{{ 7 * 7 }}' in page.text
    titles = [attributes["title"] for attributes in page.of("span") if attributes.get("title")]
    assert titles == ["green, weight 0.5, after </span>"] * len(tokens)
    assert not page.of("b")


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_colour_is_not_all_that_tells_tokens_apart(tmp_path: Path) -> None:
    made_up(tmp_path / "r", [record()])
    write_report(tmp_path / "r")
    spans = [a for a in page_of(tmp_path / "r").of("span") if a.get("title")]
    assert [(a["class"], a.get("style"), a["title"]) for a in spans] == [
        ("t none", None, "not scored"),
        ("t green", "--w:1.00", "green, weight 0.5, after NN"),
        ("t red", "--w:0.50", "red, weight 0.25, after NN"),
    ]
    text = page_of(tmp_path / "r").text
    assert "1 of 2 scored tokens are green, with 67% of the weight; z = 2.5; p = 0.006" in text
    css = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert "underline solid" in css
    assert "underline dotted" in css


@pytest.mark.slow
def test_same_records_same_bytes(finished: Path, tmp_path: Path) -> None:
    """From another folder, by a process that has drawn before; only times may differ."""
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy, ignore=shutil.ignore_patterns("figures", *FILES))
    times = (copy / "timings.jsonl").read_text(encoding="utf-8")
    (copy / "timings.jsonl").write_text(re.sub(r"\d\.\d+", "9.75", times), encoding="utf-8")
    write_report(copy)
    before, after = (
        re.sub(
            r'<section id="times".*?</section>', "", (f / "report.html").read_text("utf-8"), flags=re.DOTALL
        )
        for f in (finished, copy)
    )
    assert before == after
    assert (finished / "report.html").read_bytes() != (copy / "report.html").read_bytes()
    for name in [
        "summary.csv",
        "summary.md",
        *(f"figures/{p.name}" for p in (finished / "figures").iterdir()),
    ]:
        assert (finished / name).read_bytes() == (copy / name).read_bytes(), name


@pytest.mark.slow
def test_what_failed_is_told(finished: Path) -> None:
    text = page_of(finished).text
    assert "tiny-small, en, stela, broken, seed 0" in text
    assert "ZeroDivisionError: division by zero" in text
    assert "Not everything could be measured" in text


@pytest.mark.slow
@pytest.mark.parametrize("texts", [1, 2])
def test_few_texts(tmp_path: Path, texts: int) -> None:
    made_up(tmp_path / "r", [record("kgw"), record("stela")], texts=texts)
    write_report(tmp_path / "r")
    assert "TPR at 1 % FPR, human text" not in page_of(tmp_path / "r").text.split("What the columns mean")[0]


def test_all_cells_failed(tmp_path: Path) -> None:
    failed = {k: v for k, v in record(error="it broke").items() if k not in ("values", "length")}
    made_up(tmp_path / "r", [failed])
    write_report(tmp_path / "r")
    page = page_of(tmp_path / "r")
    assert "No cell has results." in page.text
    assert "it broke" in page.text
    assert not page.of("figure")


def test_no_marked_text_was_long_enough(tmp_path: Path) -> None:
    made_up(tmp_path / "r", [record()], texts=0)
    write_report(tmp_path / "r")
    assert "Summary" in page_of(tmp_path / "r").text


@pytest.mark.slow
def test_unequal_strength_is_said_wherever_schemes_meet(finished: Path) -> None:
    page = page_of(finished)
    figures = [svg for svg in (finished / "figures").iterdir() if not svg.name.startswith(("null", "forest"))]
    assert "hollow: not at equal strength" in (finished / "figures" / "forest-tiny-small-z-0.svg").read_text(
        "utf-8"
    )
    assert all("not at equal strength" in svg.read_text(encoding="utf-8") for svg in figures)
    groups = sum(attributes.get("scope") == "rowgroup" for attributes in page.of("th"))
    assert page.text.count("⚠ not at equal strength") == groups + len(figures)
    assert '<td class="n best"' not in (finished / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_times_of_metrics_are_told(finished: Path) -> None:
    assert re.search(r"10 tokens: seconds-per-token \d", page_of(finished).text)


def test_a_folder_without_a_run(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="holds no finished run"):
        write_report(tmp_path)
    for plan in ({"digest": ""}, {"digest": "", "experiment": {"texts": None, "keys": 1, "lengths": 3}}):
        (tmp_path / "experiment.json").write_text(json.dumps(plan), encoding="utf-8")
        with pytest.raises(stela.StelaError, match="holds no finished run"):
            write_report(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_star_needs_equal_strength_and_intervals_apart(tmp_path: Path) -> None:
    def stars(bias: float, low: float) -> int:
        folder = tmp_path / f"{bias}-{low}"
        rows = [
            record("kgw", values={"bias": value(1.0), "auc:human": value(0.8, 0.7, 0.9)}),
            record("stela", values={"bias": value(bias), "auc:human": value(0.95, low, 0.99)}),
        ]
        write_report(made_up(folder, rows))
        return (folder / "report.html").read_text(encoding="utf-8").count("<strong>0.950</strong>")

    assert stars(1.05, 0.91) == 1
    assert stars(1.05, 0.89) == 0
    assert stars(1.15, 0.91) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("no_figures")
def test_a_stronger_scheme_takes_no_star_from_its_lessers(tmp_path: Path) -> None:
    rows = [
        record(name, values={"bias": value(bias), "auc:human": value(auc, auc - 0.01, auc + 0.01)})
        for name, bias, auc in (("kgw", 1.0, 0.8), ("stela", 1.02, 0.9), ("morphmark", 8.0, 0.99))
    ]
    write_report(made_up(tmp_path / "r", rows))
    text = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert re.findall(r"<strong>([\d.]+)</strong>", text) == ["0.900"]
    assert "| **0.900** [0.890 to 0.910] |" in (tmp_path / "r" / "summary.md").read_text(encoding="utf-8")
