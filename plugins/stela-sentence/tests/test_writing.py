"""Marked text: written, found, not found under another key, and split as it was written."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from stela_corpora import TextSource
from stela_sentence.calibrate import documents
from stela_sentence.create import create_mark
from stela_sentence.mark import SentenceMark
from stela_sentence.ngrams import Ngrams
from stela_sentence.split import sentences
from stela_sentence.writing import Draw, Written, write

import stela_core as stela

COUNT = 16
KEY = 99
TRIES = 200


Texts = Callable[[SentenceMark, int], list[Written]]


@pytest.fixture(scope="module")
def texts_of(drawing: Callable[[int], Draw]) -> Texts:
    """The first few texts of a mark, each of which is written once."""

    @cache
    def text(kind: str, number: int) -> Written:
        return write(marks[kind], "", drawing(number), COUNT, TRIES)

    marks: dict[str, SentenceMark] = {}

    def texts(mark: SentenceMark, many: int) -> list[Written]:
        marks[mark.file.kind] = mark
        return [text(mark.file.kind, number) for number in range(many)]

    return texts


def test_marked_text_is_found_and_only_under_its_key(
    mark: SentenceMark, drawing: Callable[[int], Draw], texts_of: Texts
) -> None:
    texts = texts_of(mark, 4)
    detections = mark.detect_many([one.text for one in texts])
    assert all(one.watermarked for one in detections)
    others = [SentenceMark(mark.file, key, Ngrams()).detect(one.text) for key in (1, 2) for one in texts]
    assert not any(one.watermarked for one in others)
    plain = [write(mark, "", drawing(number), COUNT, tries=1).text for number in range(50, 58)]
    assert not any(mark.detect(text).watermarked for text in plain)


def test_detection_sees_what_was_written(mark: SentenceMark, texts_of: Texts) -> None:
    for one in texts_of(mark, 2):
        seen = mark.detect(one.text).sentences
        assert len(seen) == len(one.tries) == len(one.valid) == COUNT
        scored = [sentence.green for sentence in seen if sentence.green is not None]
        assert scored == one.valid[COUNT - len(scored) :]
        again = mark.detect(f"\u200b{one.text}  And a rest without an end")
        assert [sentence.text for sentence in again.sentences] == [sentence.text for sentence in seen]


def test_kept_sentences_are_the_margin_away(mark: SentenceMark, texts_of: Texts) -> None:
    [one] = texts_of(mark, 1)
    regions = mark.regions(mark.vectors(sentences(one.text)))
    sure = np.array(one.tries) < TRIES
    assert sure.sum() >= COUNT - 4
    assert (regions.margins[sure] >= mark.file.margin).all()
    assert np.array(one.valid)[sure].all()


def test_the_first_candidate_that_is_valid_is_kept_in_any_batch(
    mark: SentenceMark, drawing: Callable[[int], Draw]
) -> None:
    made = [write(mark, "", drawing(3), 6, tries=48, batch=batch) for batch in (1, 5, 48)]
    assert made[0] == made[1] == made[2]
    with_all = drawing(3)(made[0].text, 0, 48)
    looked = write(mark, "", drawing(3), 7, tries=48)
    assert looked.text.startswith(made[0].text)
    kept = looked.text[len(made[0].text) :]
    assert with_all[looked.tries[-1] - 1].startswith(kept) or looked.tries[-1] == 48


def test_where_none_is_valid_one_is_kept(mark: SentenceMark) -> None:
    """The same candidate over and over: it is valid by chance only, and the text goes on."""

    def draw(text: str, first: int, n: int) -> list[str]:
        return [" The city is old. And"] * n

    one = write(mark, "", draw, 6, tries=10)
    assert one.text == " The city is old." * 6
    assert mark.detect(one.text).verdict == "insufficient text"


@pytest.mark.parametrize(("drawn", "count"), [("", 0), ("no end", 0), ("...", 0), ("3.5", 0), (" A b.", 3)])
def test_what_is_no_sentence_is_not_kept(mark: SentenceMark, drawn: str, count: int) -> None:
    assert len(write(mark, "", lambda text, first, n: [drawn] * n, 3, tries=4).tries) == count


def test_numbers_below_one_get_one_line(mark: SentenceMark, drawing: Callable[[int], Draw]) -> None:
    with pytest.raises(stela.StelaError, match="at least 1"):
        write(mark, "", drawing(0), 0)


@pytest.mark.deep(keep=["semstamp"])
@pytest.mark.slow
def test_edits_leave_most_of_a_mark(mark: SentenceMark, texts_of: Texts) -> None:
    """A tenth of the words left out, and another case."""
    draws = np.random.default_rng(0)
    kept = []
    for one in texts_of(mark, 6):
        words = [
            " ".join(w for w in s.split() if draws.random() > 0.1 or w[-1] in ".!?")
            for s in sentences(one.text)
        ]
        before, after = mark.detect(one.text), mark.detect(" ".join(words).upper())
        assert after.p_value >= before.p_value
        kept.append(np.log(after.p_value) / np.log(before.p_value))
    assert np.median(kept) > 0.2


@pytest.mark.deep(stand_in="test_edits_leave_most_of_a_mark")
@pytest.mark.slow
@pytest.mark.parametrize(("language", "between"), [("zh", ""), ("ko", " ")])
def test_marks_in_chinese_and_korean(language: str, between: str, registry: stela.Registry) -> None:
    """Candidates are sentences of prose; Chinese ones follow each other without a space."""
    file = registry.get(TextSource, "sample-prose").location(language)
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        prose = [json.loads(line)["text"] for line in lines]
    mark = SentenceMark(create_mark("k-semstamp", Ngrams(), prose, KEY, public=True), KEY, Ngrams())
    pool = [one for some in documents(prose) for one in some if one[-1] in ".。" and len(one) > 15]

    def draw(text: str, first: int, n: int) -> list[str]:
        draws = [np.random.default_rng([len(text), first + k]) for k in range(n)]
        return [f"{between}{pool[each.integers(len(pool))]}{between}가" for each in draws]

    one = write(mark, "", draw, COUNT, TRIES)
    seen = mark.detect(one.text)
    assert len(seen.sentences) == len(one.tries) == COUNT
    assert seen.watermarked
    assert not SentenceMark(mark.file, KEY + 1, Ngrams()).detect(one.text).watermarked
