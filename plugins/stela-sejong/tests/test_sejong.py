from __future__ import annotations

import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from subprocess import run
from typing import Any

import pytest
import stela_sejong.kiwi as module
from stela_sejong import Sejong
from stela_sejong.kiwi import LONGEST_RUN, KiwiTagger, sejong_tag
from stela_sejong.tagger import SejongParameters
from stela_tables.file import read_table
from stela_tables.table import IndeterminacyTable

import stela_core as stela
from stela_core.api import window_of
from tests.tiers import Draws

pytest.importorskip("kiwipiepy")

SENTENCES = """
한국의 역사는 오래되었고 그 문화는 다양하다. 사람들은 봄에 산을 오르고 가을에 책을 읽는다.
정부는 올해 예산을 12.5% 늘리기로 했다고 "공식" 발표하였다.
이 도시는 조선 시대부터 상업의 중심지였으며, 지금도 시장이 열린다.
걸어서 갔다가 도와 주셨어요! 아름다운 강물이 흘렀습니다.
국민 여러분께 간곡히 부탁드립니다. 왜 아무도 책임지지 않습니까?
그는 1998년 서울에서 태어나 대학교(경제학)를 졸업하고 회사에 들어갔다.
""".strip().splitlines()


@pytest.fixture(scope="module")
def tagger() -> Sejong:
    return Sejong()


@pytest.fixture(scope="module")
def windows(draws: Draws) -> list[str]:
    """1,200 windows (300 in ``make test``): words in random order, cut at any character."""
    rng = random.Random(5)
    words = " ".join(SENTENCES).split()
    texts = (" ".join(rng.choices(words, k=12)) for _ in range(draws(4_000, 300)))
    return [window_of(text[: rng.randrange(10, len(text))], Sejong.window, Sejong.unit) for text in texts]


def test_known_analysis(tagger: Sejong) -> None:
    # Sejong tags by the tag set's definition: proper noun, genitive particle, common noun, topic particle,
    # adjective, ending, full stop.
    text = "한국의 역사는 길다."
    [tags] = tagger.tag([text])
    expected = ["NNP", "JKG", "NNG", "JX", "VA", "EF", "SF"]
    assert [tag.tag for tag in tags] == expected
    assert [text[tag.start : tag.end] for tag in tags] == ["한국", "의", "역사", "는", "길", "다", "."]


def test_marks_of_conjugation_are_taken_off(tagger: Sejong) -> None:
    assert [sejong_tag(tag) for tag in ("VV-I", "VV-R", "VA-I", "XSA-R", "NNG", "W_URL")] == [
        "VV", "VV", "VA", "XSA", "NNG", "W_URL",
    ]  # fmt: skip
    found = {tag.tag for tags in tagger.tag(SENTENCES) for tag in tags}
    assert "VV" in found  # 걷다 and 돕다 are irregular: VV-I to Kiwi
    assert not any("-" in tag for tag in found)


@pytest.mark.slow
def test_pure_alone_in_batches_in_any_order_and_from_threads(tagger: Sejong, windows: list[str]) -> None:
    alone = {window: tagger.tag([window])[0] for window in windows}
    assert tagger.tag(windows) == [alone[w] for w in windows]
    backwards = windows[::-1]
    last = {window: tuple(tag.tag for tag in alone[window][-3:]) for window in windows}
    assert tagger.last_tags(backwards, 3) == [last[w] for w in backwards]
    assert [tagger.last_tags([w], 3)[0] for w in windows[:500]] == [last[w] for w in windows[:500]]
    parts = [windows[i::8] for i in range(8)]
    with ThreadPoolExecutor(8) as threads:
        for part, found in zip(parts, threads.map(tagger.tag, parts), strict=True):
            assert found == [alone[w] for w in part]
        for window, one in zip(
            windows[:500], threads.map(lambda w: tagger.tag([w])[0], windows[:500]), strict=True
        ):
            assert one == alone[window]


@pytest.mark.slow
def test_number_of_threads_changes_nothing(tagger: Sejong, windows: list[str]) -> None:
    other = Sejong(SejongParameters(threads=3))
    assert other.tag(windows[:1_000]) == tagger.tag(windows[:1_000])
    assert other.fingerprint == tagger.fingerprint


HOSTILE = [
    "",
    " \n\t\u3000",
    "\x00",
    "한\x00국은 좋다",
    "😀 한국 😀😀은 👨‍👩‍👧‍👦 좋다",
    "‏שלום‏ العربية 한국 (x)",
    "a\u200bb\u200d한\ufeff국 \ufffd",
    "\u1112\u1161\u11ab글",  # decomposed syllables
    "e\u0301" * 50,
    "안녕하셔요 가셔요 주셨어욥",  # contractions: Kiwi's own starts go backwards
    "\U0010ffff\ue000 사용자",
    "ㅋㅋㅋ ㅠㅠ ㅎㄷㄷ http://a.kr #태그 @이름 a@b.kr",
    "가" * 300,
    "))))((((" * 50,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_spans_are_characters_in_order(tagger: Sejong, text: str) -> None:
    [tags] = tagger.tag([text])
    assert all(0 <= tag.start <= tag.end <= len(text) for tag in tags)
    assert [tag.start for tag in tags] == sorted(tag.start for tag in tags)
    assert not any(text[tag.start : tag.end].isspace() for tag in tags)
    assert bool(tags) == bool(text.strip())
    assert tagger.tag(["한국", text, ""]) == [tagger.tag(["한국"])[0], tags, []]


def test_offsets_after_emoji_are_not_utf16(tagger: Sejong) -> None:
    text = "😀😀😀 한국은"
    [tags] = tagger.tag([text])
    assert [text[tag.start : tag.end] for tag in tags] == ["😀", "😀", "😀", "한국", "은"]


@pytest.mark.deep(keep=["("])
@pytest.mark.slow
@pytest.mark.parametrize("part", ["1", "😀", "(", " "])
def test_a_hundred_thousand_characters(tagger: Sejong, part: str) -> None:
    text = part * 100_000
    [tags] = tagger.tag([text])
    assert all(tag.end <= len(text) for tag in tags)


def test_runs_are_cut_before_kiwi(tagger: Sejong, monkeypatch: pytest.MonkeyPatch) -> None:
    """160,000 letters in one took 12 s, a quarter of them a sixteenth; other texts are given whole."""
    assert isinstance(tagger.used, KiwiTagger)
    kiwi, given = tagger.used._kiwi, list[str]()

    class Recording:
        def tokenize(self, texts: str | list[str]) -> Any:
            given.extend([texts] if isinstance(texts, str) else texts)
            return kiwi.tokenize(texts)

    monkeypatch.setattr(tagger.used, "_kiwi", Recording())
    unbroken, prose = "a" * (2 * LONGEST_RUN + 5), " ".join(SENTENCES * 20)
    texts = [unbroken, prose, f"{prose} {unbroken} {prose}", "", unbroken[:LONGEST_RUN]]
    tags = tagger.tag(texts)
    assert max(len(word) for text in given for word in text.split()) == LONGEST_RUN
    assert prose in given
    assert "".join(given) == "".join(texts)
    for text, each in zip(texts, tags, strict=True):
        assert [text[tag.start : tag.end].isspace() for tag in each] == [False] * len(each)
        assert [tag.start for tag in each] == sorted(tag.start for tag in each)
    assert tags[2][-1].end == len(texts[2])
    assert tagger.last_tags(texts, 3) == [tuple(tag.tag for tag in each[-3:]) for each in tags]


def test_no_tags_asked_for(tagger: Sejong) -> None:
    assert tagger.last_tags(["한국", "역사"], 0) == [(), ()]
    assert tagger.tag([]) == []


def test_identity(tagger: Sejong, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import version

    assert tagger.model == "cong"
    assert version("kiwipiepy") in tagger.version
    assert version("kiwipiepy_model") in tagger.version
    before = tagger.fingerprint
    assert len(before) == 16
    monkeypatch.setitem(module.OPTIONS, "load_multi_dict", True)
    assert tagger.fingerprint != before


def test_model_that_kiwi_has_not() -> None:
    with pytest.raises(stela.StelaError, match='cannot load model "nope"'):
        Sejong(SejongParameters(model="nope"))


def test_library_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    assert Sejong.status() == (False, "pip install kiwipiepy")
    with pytest.raises(stela.MissingLibraryError, match="pip install kiwipiepy"):
        Sejong()


@pytest.mark.slow
def test_importing_the_plugin_does_not_import_kiwi() -> None:
    program = "import sys, stela_sejong; print('kiwipiepy' in sys.modules)"
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_registered_under_its_name(registry: stela.Registry) -> None:
    assert registry.get(stela.Tagger, "sejong") is Sejong


@pytest.fixture(scope="module")
def registry() -> stela.Registry:
    return stela.create_registry()


@pytest.mark.parametrize("k", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_shipped_tables(tagger: Sejong, k: int) -> None:
    table = read_table(tagger.tables()[k])
    assert table.k == k
    assert table.tagger.name == "sejong"
    assert table.tagger.tagset == "Sejong"
    assert [corpus.name for corpus in table.corpora] == ["petitions", "wikipedia"]
    contexts = tagger.last_tags(SENTENCES, k - 1)
    assert all(context in set(table.contexts) for context in contexts)


@pytest.mark.slow
def test_shipped_tables_are_marginals_of_each_other(tagger: Sejong) -> None:
    """Each is counted on its own; they may differ by the first tags of documents alone."""
    two, four = (read_table(tagger.tables()[k]) for k in (2, 4))
    for smaller, larger in zip(two.corpora, four.corpora, strict=True):
        assert smaller.tags == larger.tags
        assert int(smaller.counts.sum()) == smaller.tags - smaller.documents
        assert int(larger.counts.sum()) == larger.tags - 3 * larger.documents
    assert isinstance(two, IndeterminacyTable)


@pytest.mark.slow
def test_tables_hold_no_text(tagger: Sejong) -> None:
    content = json.loads(tagger.tables()[4].read_text(encoding="utf-8"))
    assert all(tag.isascii() and tag.replace("_", "").isalnum() for tag in content["tags"])
    assert set(content) == {"format", "k", "tagger", "tags", "corpora"}
    assert set(content["corpora"][0]) == {"name", "documents", "tags", "counts"}
