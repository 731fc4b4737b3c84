"""The shipped models: what they say, and that tags are pure."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ctb_texts import ODD, documents, windows
from stela_ctb import Ctb
from stela_ctb.shipped import read_network, tags_of

from stela_core.api import window_of
from tests.tiers import Draws

pytestmark = pytest.mark.slow

# Cut and tagged by hand, as UD Chinese GSD cuts words (its suffixes stand alone: 科学 家) with the tags
# of the Penn Chinese Treebank.
HAND_TAGGED = [
    "我/PN 喜欢/VV 喝/VV 茶/NN 。/PU",
    "他/PN 在/P 北京/NR 工作/VV 。/PU",
    "这/DT 本/M 书/NN 很/AD 有趣/VA 。/PU",
    "中国/NR 和/CC 日本/NR 都/AD 是/VC 亚洲/NR 国家/NN 。/PU",
    "1998/CD 年/NT 5/CD 月/NT ，/PU 他/PN 回到/VV 了/AS 家乡/NN 。/PU",
    "她/PN 有/VE 三/CD 个/M 孩子/NN 。/PU",
    "由于/P 天气/NN 原因/NN ，/PU 比赛/NN 被/SB 取消/VV 了/AS 。/PU",
    "这/PN 是/VC 我/PN 的/DEG 朋友/NN 。/PU",
    "如果/CS 你/PN 不/AD 来/VV ，/PU 我们/PN 就/AD 不/AD 去/VV 。/PU",
    "政府/NN 宣布/VV 了/AS 新/JJ 的/DEG 计划/NN 。/PU",
    "第一/OD 次/M 世界/NN 大战/NN 于/P 1914/CD 年/NT 爆发/VV 。/PU",
    "该/DT 公司/NN 位于/VV 上海/NR 。/PU",
]


@pytest.fixture(scope="module")
def ctb() -> Ctb:
    return Ctb()


def in_words(ctb: Ctb, text: str) -> list[tuple[str, str]]:
    return [(text[tag.start : tag.end], tag.tag) for tag in ctb.tag([text])[0]]


def test_known_analysis(ctb: Ctb) -> None:
    # Words and tags by the treebank's guidelines: a year is two words, 们 belongs to the pronoun.
    assert in_words(ctb, "1998年5月，他们宣布了新计划。") == [
        ("1998", "CD"), ("年", "NT"), ("5", "CD"), ("月", "NT"), ("，", "PU"), ("他们", "PN"),
        ("宣布", "VV"), ("了", "AS"), ("新", "JJ"), ("计划", "NN"), ("。", "PU"),
    ]  # fmt: skip
    assert in_words(ctb, "这是我的朋友。") == [
        ("这", "PN"), ("是", "VC"), ("我", "PN"), ("的", "DEG"), ("朋友", "NN"), ("。", "PU"),
    ]  # fmt: skip


def test_words_and_tags_agree_with_a_human(ctb: Ctb, shipped: Path) -> None:
    tagger = read_network(shipped / "pos")
    right_words = right_tags = gold_words = found_words = 0
    for line in HAND_TAGGED:
        words, tags = zip(*(pair.rsplit("/", 1) for pair in line.split()), strict=True)
        ends = [sum(map(len, words[: i + 1])) for i in range(len(words))]
        gold = {(end - len(word), end) for word, end in zip(words, ends, strict=True)}
        found = {(tag.start, tag.end) for tag in ctb.tag(["".join(words)])[0]}
        right_words += len(gold & found)
        gold_words, found_words = gold_words + len(gold), found_words + len(found)
        [given] = tags_of(tagger, ["".join(words)], [sorted(gold)])
        right_tags += sum(a == b for a, b in zip(given, tags, strict=True))
    assert 2 * right_words / (gold_words + found_words) > 0.9
    assert right_tags / gold_words > 0.9


@pytest.mark.deep(stand_in="plugins/stela-ctb/tests/test_contract.py::TestShipped")
def test_pure_on_a_thousand_sentences(ctb: Ctb) -> None:
    """Alone, in batches of any size and order, from threads: the same tags (invariant 2)."""
    count = 1000
    texts = documents(count, seed=1, longest=1)
    alone = [ctb.tag([text])[0] for text in texts]
    assert ctb.tag(texts) == alone
    order = random.Random(2).sample(range(count), count)
    assert ctb.tag([texts[i] for i in order]) == [alone[i] for i in order]
    assert [tags for i in range(0, count, 7) for tags in ctb.tag(texts[i : i + 7])] == alone
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: ctb.tag([text])[0], texts)) == alone


@pytest.mark.deep(stand_in="plugins/stela-ctb/tests/test_contract.py::TestShipped")
def test_last_tags_are_pure_on_a_thousand_windows(ctb: Ctb) -> None:
    texts = [window_of(text, Ctb.window, Ctb.unit) for text in windows(1000, seed=3)]
    full = [tuple(tag.tag for tag in tags) for tags in ctb.tag(texts)]
    for count in (3, 50):
        expected = [tags[-count:] for tags in full]
        assert ctb.last_tags(texts, count) == expected
        assert [ctb.last_tags([text], count)[0] for text in texts] == expected
        assert ctb.last_tags(texts[::-1], count) == expected[::-1]


def test_tags_are_the_same_beside_longer_texts(ctb: Ctb) -> None:
    """Unlike HanLP's CharCNN, whose padding leaks."""
    texts = [text for text in [*windows(80, seed=9), *ODD] if 0 < len(text) < 50]
    assert ctb.tag(texts) == [ctb.tag([text])[0] for text in texts]


def test_words_cover_all_but_white_space(ctb: Ctb) -> None:
    for text in [*windows(300, seed=6), *ODD, "  前 后  ", "两\n\n段", "全角　空格\u2003等"]:
        tags = ctb.tag([text])[0]
        assert "".join(text[t.start : t.end] for t in tags) == "".join(text.split())
        assert not any(char.isspace() for t in tags for char in text[t.start : t.end])


def test_a_hundred_thousand_characters(ctb: Ctb, draws: Draws) -> None:
    """Ten thousand in ``make test``: ten blocks, of which most touch neither end."""
    size = draws(100_000, 10_000)
    [tags] = ctb.tag(["中" * size])
    assert [tag.start for tag in tags] == [0, *(tag.end for tag in tags[:-1])]
    assert tags[-1].end == size
    assert ctb.last_tags(["中" * size], 3) == [tuple(tag.tag for tag in tags[-3:])]


def test_window_is_long_enough(ctb: Ctb) -> None:
    """The last three tags of 20 characters are those of 80, but for words that the window cuts apart."""
    texts = [text[-80:] for text in documents(1500, seed=7) if len(text) > 80]
    short = [window_of(text, Ctb.window, Ctb.unit) for text in texts]
    same = sum(a == b for a, b in zip(ctb.last_tags(texts, 3), ctb.last_tags(short, 3), strict=True))
    assert len(texts) > 100
    assert same / len(texts) > 0.98
