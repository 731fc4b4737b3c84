"""``ctb:causal`` as a user meets it: beside the default, without HanLP and torch, from a profile."""

from __future__ import annotations

import json
import sys
from subprocess import run

import pytest
from ctb_texts import SENTENCES, windows
from stela_ctb import Ctb
from stela_ctb.tagger import CausalCtb
from stela_tables.file import read_table

import stela_core as stela
from stela_core.text.windows import window_starts

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def causal() -> Ctb:
    return Ctb(Ctb.Parameters(model="causal"))


def test_known_analysis(causal: Ctb) -> None:
    text = "这是我的朋友。"
    [tags] = causal.tag([text])
    assert [(text[tag.start : tag.end], tag.tag) for tag in tags] == [
        ("这", "PN"), ("是", "VC"), ("我", "PN"), ("的", "DEG"), ("朋友", "NN"), ("。", "PU"),
    ]  # fmt: skip


def test_most_windows_share_the_pass(causal: Ctb) -> None:
    text = "".join(SENTENCES)
    ends = list(range(1, len(text) + 1))
    spans = list(zip(window_starts(text, ends, Ctb.window, "character"), ends, strict=True))
    assert isinstance(causal.used, CausalCtb)
    known = causal.used._words._lying([text], [spans], 3)
    assert sum(tags is None for tags in known) < 0.1 * len(known)
    alone = [causal.last_tags([text[a:b]], 3)[0] for a, b in spans]
    assert causal.last_tags_within([text], [spans], 3) == [alone]


def test_both_shipped_pairs_are_told_apart(causal: Ctb) -> None:
    plain = Ctb()
    assert causal.fingerprint != plain.fingerprint
    assert causal.fingerprint == Ctb.fingerprint_of(Ctb.Parameters(model="causal"))
    assert causal.model == "causal"
    assert "stela-ctb" in causal.version
    assert Ctb.accepts_from_profile("causal")
    assert set(causal.tables()) == set(plain.tables()) == {2, 3, 4}
    assert not set(causal.tables().values()) & set(plain.tables().values())
    for file in causal.tables().values():
        assert json.loads(file.read_text(encoding="utf-8"))["tagger"]["fingerprint"] == causal.fingerprint
        assert all(tag for tag in read_table(file).tags)


def test_most_tags_are_those_of_the_default(causal: Ctb) -> None:
    texts = [text for text in windows(200, seed=2) if text]
    pairs = list(zip(causal.last_tags(texts, 1), Ctb().last_tags(texts, 1), strict=True))
    assert sum(a == b for a, b in pairs) > 0.7 * len(pairs)


def test_works_without_hanlp_and_imports_no_torch() -> None:
    program = (
        "import sys; sys.modules['hanlp'] = sys.modules['torch'] = None\n"
        "from stela_ctb import Ctb\n"
        "print([tag.tag for tag in Ctb(Ctb.Parameters(model='causal')).tag(['我们去学校'])[0]])"
    )
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['PN', 'VV', 'NN']"


@pytest.mark.parametrize("text", ["\ud800", "中文 \udfff"])
def test_lone_surrogates_are_refused_in_windows_too(causal: Ctb, text: str) -> None:
    with pytest.raises(stela.StelaError, match="surrogate"):
        causal.last_tags_within([text], [[(0, 1)]], 2)


def test_says_that_numba_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(stela.MissingLibraryError, match="pip install numba"):
        Ctb(Ctb.Parameters(model="causal"))
