"""The three pipelines that come along: contract, hand-tagged sentences, and the tags of spaCy in batches."""

from __future__ import annotations

import random
from itertools import pairwise
from pydoc_data.topics import topics
from typing import Any

import pytest
from stela_testing import TaggerContract
from stela_ud import UdSpacy
from stela_ud.loading import load_universal
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
def test_tags_are_those_of_spacy(tagger: UdSpacy, draws: Draws) -> None:
    """Many windows in a batch have the tags that spaCy gives them one at a time."""
    assert tagger._batched
    nlp = load_universal(str(folder_of(tagger.model)))
    texts = windows(tagger.model, draws(1000, 200), seed=1)
    expected = [tuple(t.pos_ for t in nlp(text) if not t.is_space) for text in texts]
    for count in (1, 3):
        assert tagger.last_tags(texts, count) == [tags[-count:] for tags in expected]
    assert [tagger.last_tags([text], 2)[0] for text in texts[:100]] == [tags[-2:] for tags in expected[:100]]


@pytest.mark.slow
@pytest.mark.parametrize("language", SHIPPED)
def test_scores_have_the_same_bits_in_any_batch(language: str, draws: Draws) -> None:
    """What lets windows be tagged in batches: a row's sums do not depend on the other rows."""
    nlp = load_universal(str(folder_of(language)))
    model = nlp.get_pipe("morphologizer").model
    docs = list(map(nlp.make_doc, [*windows(language, draws(300, 90), seed=2), "", " "]))
    expected = [model.predict([doc])[0].tobytes() for doc in docs]
    for size in (7, 32, 302):
        batches = [model.predict(docs[at : at + size]) for at in range(0, len(docs), size)]
        assert [scores.tobytes() for batch in batches for scores in batch] == expected


@pytest.mark.slow
def test_tags_do_not_depend_on_what_was_seen_before(
    tagger: UdSpacy, monkeypatch: pytest.MonkeyPatch, draws: Draws
) -> None:
    """A vocabulary that is thrown away changes nothing."""
    texts = windows(tagger.model, draws(150, 30), seed=3)
    expected = tagger.last_tags(texts, 3)
    small = UdSpacy(UdSpacy.Parameters(model=tagger.model))
    assert small.last_tags(texts[:1], 3) == expected[:1]  # what rules are made of is in the vocabulary, too
    limit = len(small._nlp.vocab) + 40
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


def words_of(doc: Any) -> tuple[list[str], list[bool]]:
    return [token.text for token in doc], [bool(token.whitespace_) for token in doc]


class TestSegmenter:
    @pytest.fixture(scope="class")
    @classmethod
    def segmenter(cls) -> Any:
        return load_universal(str(folder_of("zh"))).tokenizer

    @pytest.mark.parametrize(
        "text", ["", " ", "  ", "a", " a", "a ", "\n 好 \n", *windows("zh", 100, seed=6)]
    )
    def test_words_join_to_the_text(self, segmenter: Any, text: str) -> None:
        doc = segmenter(text)
        words, spaces = words_of(doc)
        assert "".join(word + " " * space for word, space in zip(words, spaces, strict=True)) == text
        assert doc.text == text

    def test_words_are_those_of_each_text_alone(self, segmenter: Any) -> None:
        texts = ["", *windows("zh", 60, seed=7), ZH]
        alone = [words_of(segmenter(text)) for text in texts]
        assert len(alone[-1][0]) > 50
        for size in (1, 7, 62):
            assert [words_of(doc) for doc in segmenter.pipe(texts, batch_size=size)] == alone

    def test_white_space_and_runs_of_letters(self, segmenter: Any) -> None:
        words, _ = words_of(segmenter("我用 Python\n编程 abc123"))
        assert "Python" in words
        assert "\n" in words
        for before, after in pairwise(words):
            assert not (
                before[-1].isascii() and after[0].isascii() and before[-1].isalpha() and after[0].isalpha()
            )

    def test_boundaries_look_four_characters_far(self, segmenter: Any) -> None:
        """Whatever stands beyond four characters of a boundary, it stays."""
        middle = "他们赋有理性和良心"
        for left, right in (("国家的", "是人民"), ("然而，", "。所以"), ("ab 12", "\n!")):
            text = left + middle + right
            ends, at = set(), 0
            for word, space in zip(*words_of(segmenter(text)), strict=True):
                at += len(word)
                ends.add(at - len(left))
                at += space
            assert {end for end in ends if 4 <= end <= len(middle) - 4} == {4}


@pytest.mark.parametrize("word", ["", "a", "학교", "읽었습니다", "3,000원", "2004年", "e\u0301"])
def test_features_are_ends_of_words(word: str) -> None:
    from spacy.attrs import LOWER, NORM, PREFIX, SHAPE, SUFFIX
    from stela_ud.features import CHINESE, KOREAN

    korean = {name: KOREAN[name](word) for name in KOREAN}
    assert korean == {
        NORM: word[-3:],
        LOWER: word[:-1] or word,
        PREFIX: word[:2],
        SUFFIX: word[-2:],
        SHAPE: word[-1:],
    }
    chinese = {name: CHINESE[name](word) for name in CHINESE}
    kinds = {"": "0--", "a": "1aa", "학교": "2ll", "읽었습니다": "4ll", "3,000원": "4dl", "2004年": "4dh"}
    assert chinese.pop(SHAPE) == kinds.get(word, "2ao")
    assert chinese == {NORM: word[:2], LOWER: word[-2:], PREFIX: word[:1], SUFFIX: word[-1:]}


def test_hook_registers_the_tagger(registry: stela.Registry) -> None:
    assert registry.get(stela.Tagger, "ud-spacy") is UdSpacy
