"""A detection as a value: condition, equality, printing, HTML, pickling."""

from __future__ import annotations

import pickle
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from stela_cli import notebook
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH, KOREAN

import stela_core as stela
from stela_core.profile.create import Settings
from stela_core.registry.tagger_spec import make_tagger
from stela_core.watermark import Watermark

TEXT = ENGLISH * 4


@pytest.fixture(scope="module")
def mark(registry: stela.Registry) -> Watermark:
    tagger = make_tagger(registry, "penn")
    made = Settings("stela").create(registry, load_tokenizer(registry, "tiny"), 7, public=True, tagger=tagger)
    return Watermark(made.archive, None, registry)


@pytest.mark.slow
def test_a_detection_is_no_condition(mark: Watermark) -> None:
    found = mark.detect(TEXT)
    with pytest.raises(TypeError, match=r"neither true nor false. hint: use detection.watermarked"):
        bool(found)
    with pytest.raises(stela.StelaError):
        assert not found
    assert found.watermarked is False
    assert replace(found, verdict="watermarked").watermarked is True
    assert replace(found, verdict="insufficient text").watermarked is False


@pytest.mark.slow
def test_equal_where_all_that_is_said_is(mark: Watermark) -> None:
    found, again, other = mark.detect(TEXT), mark.detect(TEXT), mark.detect(KOREAN * 4)
    assert found == again
    assert hash(found) == hash(again)
    assert found != other
    assert {found, again, other} == {found, other}
    assert found != replace(found, p_value=found.p_value / 2)
    assert mark.with_passage(found) == mark.with_passage(again) != found
    assert found != "no watermark found"


def test_repr_is_one_short_line(mark: Watermark) -> None:
    for found in (mark.detect(TEXT * 20), mark.with_passage(mark.detect(TEXT)), mark.detect("")):
        shown = repr(found)
        assert shown.startswith(f"Detection({found.verdict}, p=")
        assert "\n" not in shown
        assert len(shown) < 140
    assert "passage p=" in repr(mark.with_passage(mark.detect(TEXT)))


def test_pickled_with_its_tokens_and_without_the_vocabulary(mark: Watermark) -> None:
    found = mark.detect(KOREAN * 5)
    stored = pickle.dumps(found)
    vocabulary = len(pickle.dumps(mark.tokens))
    again = pickle.loads(stored)
    assert again == found
    assert again.tokens == found.tokens
    assert mark.with_passage(again) == mark.with_passage(found)
    assert len(pickle.dumps(mark.detect("a"))) < vocabulary / 20
    assert pickle.loads(pickle.dumps(mark.with_passage(found))) == mark.with_passage(found)


class Seen(HTMLParser):
    """Tags, their attributes and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_the_text_and_nothing_of_it_is_markup(mark: Watermark) -> None:
    text = (
        TEXT
        + """<script>alert(1)</script> <img src=x onerror="alert(1)"> & &amp; ' " \u202eevil\x1b[2J 한국"""
    )
    page = mark.with_passage(mark.detect(text))._repr_html_()
    seen = Seen(page)
    assert seen.tags == {"div", "b", "span"}
    assert seen.attributes == {"style", "title", "dir"}
    assert """<script>alert(1)</script> <img src=x onerror="alert(1)"> & &amp; ' " """ in seen.text
    assert "\\u202eevil\\x1b[2J" in seen.text
    assert ENGLISH in seen.text
    assert "no watermark found" in seen.text
    assert "look marked most" in seen.text
    assert "url(" not in page
    assert "background:rgba(" in page
    assert "text-decoration:underline" in page


def test_html_of_a_long_text_is_bounded(mark: Watermark, monkeypatch: pytest.MonkeyPatch) -> None:
    page = mark.detect(TEXT * 100)._repr_html_()
    assert page.count("<span") <= notebook.MOST + 1
    assert "more tokens are not shown]" in page
    monkeypatch.setattr(notebook, "LONGEST", 3)
    assert " th..." in mark.detect(TEXT)._repr_html_()
    assert "insufficient text" in mark.detect("")._repr_html_()
