"""Misspellings of codespell's dictionary, and texts in a template."""

from __future__ import annotations

import sys

import pytest
import stela_run
from hypothesis import given
from hypothesis import strategies as st
from stela_attacks.edits import Misspelling, Template
from stela_attacks.edits.misspelling import misspellings
from stela_attacks.edits.template import LETTER
from stela_models.loaded import Models
from stela_run.words import Pieces

import stela_core as stela

from .making import attack

TEXT = "Their beginning was definitely HIS, and Government did not receive a separate address. Zyx, 42!"
ABLE = ["Their", "beginning", "definitely", "Government", "receive", "separate", "address"]


@pytest.fixture(scope="module")
def circumstances(registry: stela.Registry) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", 3, [""], [], Models(registry, "cpu"))


@pytest.mark.parametrize(("share", "changed"), [(0.0, 0), (0.2, 3), (1.0, None)])
def test_so_many_words_are_misspelt(
    circumstances: stela_run.Circumstances, share: float, changed: int | None
) -> None:
    [text] = attack(Misspelling, share=share).apply([TEXT], circumstances)
    before, after = Pieces.of(TEXT), Pieces.of(text)
    assert before.gaps == after.gaps
    others = [(old, new) for old, new in zip(before.words, after.words, strict=True) if old != new]
    known = misspellings()
    assert len(others) == (changed if changed is not None else sum(w.lower() in known for w in before.words))
    for old, new in others:
        assert new.lower() in known[old.lower()]
        assert new[0].isupper() == old[0].isupper()
    if share == 1:
        assert {old for old, _ in others} >= set(ABLE)


def test_the_dictionary_holds_what_people_write() -> None:
    known = misspellings()
    assert "recieve" in known["receive"]
    assert "definately" in known["definitely"]
    assert len(known) > 10_000
    assert not any(right in wrong for right, wrong in known.items())


def test_capitals(circumstances: stela_run.Circumstances) -> None:
    for word, check in {"RECEIVE": str.isupper, "Receive": str.istitle, "receive": str.islower}.items():
        [text] = attack(Misspelling, share=1).apply([word], circumstances)
        assert check(text)
        assert text != word


def test_without_codespell_it_is_one_line(
    circumstances: stela_run.Circumstances, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "codespell_lib", None)
    misspellings.cache_clear()
    with pytest.raises(stela.StelaError, match="codespell, which is not installed"):
        attack(Misspelling).apply(["receive"], circumstances)


@given(st.text(max_size=40))
def test_a_template_holds_the_text(circumstances: stela_run.Circumstances, text: str) -> None:
    head, tail = LETTER.split("{text}")
    assert attack(Template).apply([text], circumstances) == [head + text + tail]
    assert attack(Template, template="{text}").apply([text], circumstances) == [text]


def test_templates_without_a_place_are_refused() -> None:
    for template in ("nothing", "{text} and {text}"):
        with pytest.raises(stela.StelaError, match=r"does not have \{text\} in one place"):
            attack(Template, template=template)
    with pytest.raises(stela.StelaError, match="template"):
        attack(Template, template="{text}" + "x" * 10_000)
