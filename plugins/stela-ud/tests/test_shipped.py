"""The three pipelines that come along: contract, hand-tagged sentences, and the fast path beside spaCy."""

from __future__ import annotations

import random
from itertools import pairwise
from pydoc_data.topics import topics
from typing import Any

import pytest
from stela_testing import TaggerContract
from stela_ud import UdSpacy
from stela_ud.shipped import SHIPPED, folder_of, tables_of

import stela_core as stela
from stela_core.api import window_of
from tests.tiers import Draws

ZH = (
    "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。\n"
    "这座城市位于河流的北岸，2004年有12,500名居民；其中大多数人从事农业。 他说：“明天会下雨吗？”\n"
    "科学家们发现，Python 3.11 的速度比以前快了百分之六十，但是内存的使用并没有减少。\u3000"
    "我们仍然需要更多的实验！"
)
KO = (
    "유구한 역사와 전통에 빛나는 우리 대한국민은 조국의 민주개혁과 평화적 통일의 사명에 입각하여 정의와 "
    "인도와 동포애로써 민족의 단결을 공고히 하고, 모든 사회적 폐습과 불의를 타파하며, 기회를 균등히 하였다.\n"
    "그는 어제(2004년 5월) 학교에 갔지만 아무도 만나지 못했다고 말했습니다.  값이 3,000원이래요! “정말?”"
)
TEXTS = {"en": "\n".join(list(topics.values())[:20]), "zh": ZH, "ko": KO}


def windows(language: str, count: int, seed: int = 0) -> list[str]:
    """Windows as generation meets them, cut at any character; sentences follow in random order."""
    chance = random.Random(seed)
    source = TEXTS[language]
    found = []
    for _ in range(count):
        size = chance.choice((3, 10, 40, 90))
        parts = [source[(at := chance.randrange(len(source))) : at + size] for _ in range(2)]
        tagger_window, unit = (32, "character") if language == "zh" else (6, "word")
        found.append(window_of("".join(parts), tagger_window, unit))
    return found


@pytest.fixture(scope="module", params=SHIPPED)
def tagger(request: pytest.FixtureRequest) -> UdSpacy:
    return UdSpacy(UdSpacy.Parameters(model=request.param))


class Contract(TaggerContract):
    model: str

    @pytest.fixture(scope="class")
    @classmethod
    def tagger(cls) -> UdSpacy:
        return UdSpacy(UdSpacy.Parameters(model=cls.model))

    @pytest.fixture(scope="class")
    @classmethod
    def texts(cls) -> list[str]:
        return [*windows(cls.model, 60), TEXTS[cls.model][:2000]]


@pytest.mark.slow
class TestEnglish(Contract):
    model = "en"


@pytest.mark.slow
class TestChinese(Contract):
    model = "zh"


@pytest.mark.deep(stand_in="TestChinese", only=["test_a_long_text"])
@pytest.mark.slow
class TestKorean(Contract):
    model = "ko"


def test_tags_agree_with_a_human(
    tagger: UdSpacy, hand_tagged: dict[str, list[list[tuple[str, str]]]]
) -> None:
    right = total = 0
    for sentence in hand_tagged[tagger.model]:
        text = ("" if tagger.model == "zh" else " ").join(word for word, _ in sentence)
        tags = tagger.tag([text])[0]
        assert [text[t.start : t.end] for t in tags] == [word for word, _ in sentence]
        right += sum(t.tag == gold for t, (_, gold) in zip(tags, sentence, strict=True))
        total += len(sentence)
    assert right / total > 0.85


@pytest.mark.slow
def test_fast_path_gives_the_tags_of_spacy(tagger: UdSpacy, draws: Draws) -> None:
    from stela_ud.loading import load_shipped

    nlp = load_shipped(folder_of(tagger.model))
    texts = windows(tagger.model, draws(1000, 300), seed=1)
    expected = [tuple(t.pos_ for t in nlp(text) if not t.is_space) for text in texts]
    for count in (1, 3):
        assert tagger.last_tags(texts, count) == [tags[-count:] for tags in expected]
    assert [tagger.last_tags([text], 2)[0] for text in texts[:300]] == [tags[-2:] for tags in expected[:300]]


@pytest.mark.slow
@pytest.mark.parametrize("language", SHIPPED)
@pytest.mark.parametrize("compiled", [False, True])
def test_fast_path_gives_the_bits_of_spacy_in_any_batch(
    language: str, compiled: bool, monkeypatch: pytest.MonkeyPatch, draws: Draws
) -> None:
    if compiled:
        pytest.importorskip("numba")
    monkeypatch.setattr("stela_spacy.network.worth", lambda scored: compiled)
    from stela_ud.loading import fast_path, load_shipped

    nlp = load_shipped(folder_of(language))
    model = nlp.get_pipe("morphologizer")
    tails: Any = fast_path(nlp)
    docs = [
        doc
        for doc in map(nlp.make_doc, windows(language, draws(300, 90), seed=2))
        if doc and not doc[-1].is_space
    ]
    expected = [model.model.predict([doc])[0][-1].tobytes() for doc in docs]
    for size in (1, 7, 32, 300):
        found: list[bytes] = []
        for start in range(0, len(docs), size):
            scores, _ = tails.scores([doc.text for doc in docs[start : start + size]], 1)
            found += [row.tobytes() for row in scores]
        assert found == expected


@pytest.mark.slow
def test_tags_do_not_depend_on_what_was_seen_before(
    tagger: UdSpacy, monkeypatch: pytest.MonkeyPatch, draws: Draws
) -> None:
    """Caches that overflow, and a vocabulary that is thrown away, change nothing."""
    texts = windows(tagger.model, draws(150, 30), seed=3)
    expected = tagger.last_tags(texts, 3)
    monkeypatch.setattr("stela_spacy.network.CACHED_TOKENS", 50)
    monkeypatch.setattr("stela_ud.segmenter.CACHED", 30)
    monkeypatch.setattr("stela_ud.chinese_tails.KEPT_WORDS", 20)
    small = UdSpacy(UdSpacy.Parameters(model=tagger.model))
    assert small.last_tags(texts[:1], 3) == expected[:1]  # what rules are made of is in the vocabulary, too
    limit = len(small._nlp.vocab) + 3
    monkeypatch.setattr("stela_spacy.tagger.VOCABULARY_LIMIT", limit)
    before = [small._nlp]
    for _ in range(2):
        for text, tags in zip(texts, expected, strict=True):
            assert small.last_tags([text], 3)[0] == tags
            if small._nlp is not before[-1]:
                before.append(small._nlp)
        small.tag(texts)
    assert len(before) > 1
    assert len(small._nlp.vocab) <= limit


@pytest.mark.slow
def test_window_is_long_enough(tagger: UdSpacy) -> None:
    """The last tags of a window are those of a text that goes further back, in 99 of 100 cases."""
    chance = random.Random(4)
    source = " ".join(TEXTS[tagger.model].split())
    ends = [chance.randrange(120, min(len(source), 3000)) for _ in range(300)]
    long = [source[max(0, end - 200) : end] for end in ends]
    short = [window_of(text, tagger.window, tagger.unit) for text in long]
    found = zip(tagger.last_tags(short, tagger.k - 1), tagger.last_tags(long, tagger.k - 1), strict=True)
    assert sum(a == b for a, b in found) >= 0.99 * len(long)


@pytest.mark.slow
def test_habits_and_identity(tagger: UdSpacy) -> None:
    assert tagger.language == tagger.model
    assert (tagger.k, tagger.unit) == {"en": (2, "word"), "zh": (4, "character"), "ko": (4, "word")}[
        tagger.model
    ]
    assert f"stela_ud_{tagger.model}" in tagger.version
    by_folder = UdSpacy(UdSpacy.Parameters(model=str(folder_of(tagger.model))))
    assert by_folder.fingerprint == tagger.fingerprint
    texts = windows(tagger.model, 40, seed=5)
    assert by_folder.tag(texts) == tagger.tag(texts)
    assert by_folder.last_tags(texts, 2) == tagger.last_tags(texts, 2)
    assert by_folder.tables() == tagger.tables()


@pytest.mark.slow
def test_fingerprints_differ() -> None:
    assert len({UdSpacy(UdSpacy.Parameters(model=m)).fingerprint for m in SHIPPED}) == len(SHIPPED)


def test_tables_are_files_named_by_k(tagger: UdSpacy) -> None:
    assert tagger.tables() == tables_of(tagger.model)
    assert all(path.name == f"k{k}.json" and path.is_file() for k, path in tagger.tables().items())


class TestSegmenter:
    @pytest.fixture(scope="class")
    @classmethod
    def segmenter(cls) -> object:
        from stela_ud.loading import load_shipped

        return load_shipped(folder_of("zh")).tokenizer

    @pytest.mark.parametrize(
        "text", ["", " ", "  ", "a", " a", "a ", "\n 好 \n", *windows("zh", 100, seed=6)]
    )
    def test_words_join_to_the_text(self, segmenter: object, text: str) -> None:
        words, spaces = segmenter.words(text)
        assert "".join(word + " " * space for word, space in zip(words, spaces, strict=True)) == text
        assert segmenter(text).text == text

    def test_last_words_are_the_last_words(self, segmenter: object) -> None:
        texts = windows("zh", 300, seed=7)
        for text, found in zip(texts, segmenter.last_words(texts, 2, 2), strict=True):
            words, _ = segmenter.words(text)
            assert found == words[len(words) - len(found) :]
            tagged = [i for i, word in enumerate(found) if not word.isspace()]
            assert len(found) == len(words) or tagged[-2] == 2

    def test_white_space_and_runs_of_letters(self, segmenter: object) -> None:
        words, _ = segmenter.words("我用 Python\n编程 abc123")
        assert "Python" in words
        assert "\n" in words
        for before, after in pairwise(words):
            assert not (
                before[-1].isascii() and after[0].isascii() and before[-1].isalpha() and after[0].isalpha()
            )

    def test_boundaries_look_four_characters_far(self, segmenter: object) -> None:
        """Whatever stands beyond four characters of a boundary, it stays."""
        middle = "他们赋有理性和良心"
        for left, right in (("国家的", "是人民"), ("然而，", "。所以"), ("ab 12", "\n!")):
            text = left + middle + right
            ends, at = set(), 0
            for word, space in zip(*segmenter.words(text), strict=True):
                at += len(word)
                ends.add(at - len(left))
                at += space
            assert {end for end in ends if 4 <= end <= len(middle) - 4} == {4}


def test_hook_registers_the_tagger(registry: stela.Registry) -> None:
    assert registry.get(stela.Tagger, "ud-spacy") is UdSpacy
