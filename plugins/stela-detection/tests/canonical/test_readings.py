"""Readings of a text: which is reported, its p-value, and where its tokens lie in the text as given."""

from __future__ import annotations

import html
import json
import pickle
import random
import unicodedata
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from stela_detection.canonical.readings import CANONICAL, SENTENCE_CASE
from stela_detection.search.named_passages import find_passage, with_passage
from stela_testing.texts import ENGLISH, KOREAN, random_text
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.detection.batch import Batch
from stela_core.detection.detector import Detector
from stela_core.detection.readings import AS_IT_IS, as_it_is, shares
from stela_core.detection.result import best_reading
from stela_core.profile.provenance import Provenance
from tests.detection.test_batch import ReadsPrompt
from tests.detection.test_detector import Lengths, detector
from tests.helpers import LengthTagger, all_readings
from tests.tiers import Draws

DISGUISES: dict[str, Callable[[str], str]] = {
    "non-breaking spaces": lambda text: text.replace(" ", "\xa0"),
    "double spaces": lambda text: text.replace(" ", "  "),
    "zero width": "\u200b".join,
    "soft hyphens": "\xad".join,
    "CRLF, double spaces": lambda text: text.replace(" ", "  ").replace("\n", "\r\n"),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "HTML": lambda text: html.escape(text).replace(" ", "&nbsp;"),
    "JSON": lambda text: json.dumps(text)[1:-1],
    "quoted": lambda text: "> " + text.replace("\n", "\n> "),
    "Cyrillic": lambda text: text.translate(str.maketrans("aceopxy", "асеорху")),
}


def read_by_all(made: Detector, texts: list[str]) -> list[stela.Detection]:
    """The texts tested in all readings."""
    return made.detect_batch(Batch.of_texts(texts, reader=all_readings))


def unchanged(made: Detector, text: str) -> stela.Detection:
    """The text tested in no other reading than its own."""
    return made.detect_batch(Batch.of_texts([text], reader=as_it_is))[0]


@pytest.fixture(scope="module")
def made(tokenizer: Tokenizer) -> Detector:
    return detector(tokenizer, 1, Uniform(stela.Parameters()))


@pytest.fixture(scope="module")
def text(made: Detector) -> str:
    """Words with many green tokens, accents, quotes and two lines: a marked text that is canonical."""
    words = [*(KOREAN + ENGLISH).split(), 'the "old"', "café", "naïve & co"]
    rng, text = random.Random(3), "The"
    for number in range(90):
        tried = [text + ("\n" if number == 45 else " ") + word for word in rng.sample(words, 6)]
        text = min(tried, key=lambda one: unchanged(made, one).p_value)
    assert read_by_all(made, [text])[0].readings == 1
    return text


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_text_is_detected_with_the_same_z_at_a_tenth_of_alpha(
    made: Detector, text: str, name: str
) -> None:
    worn = DISGUISES[name](text)
    assert worn != text
    [plain, read] = read_by_all(made, [text, worn])
    assert plain.p_value < 1e-6
    assert (read.reading, read.readings) == (CANONICAL, 2)
    assert read.z == plain.z
    assert read.p_value == pytest.approx(10 * plain.p_value)
    assert read.verdict == plain.verdict == "watermarked"
    assert (read.scored_tokens, read.unique_pairs) == (plain.scored_tokens, plain.unique_pairs)
    assert "".join(token.text for token in read.tokens) == worn
    assert [token.green for token in read.tokens] == [token.green for token in plain.tokens]
    assert read.to_dict()["reading"] == CANONICAL
    assert "canonical: best of 2 readings" in repr(read)
    alone = unchanged(made, worn)
    assert (alone.reading, alone.readings) == (AS_IT_IS, 1)
    assert made.detect_ids(made.ids_of([worn])) == [alone]


@pytest.mark.slow
def test_where_the_text_as_it_is_is_the_marked_one_it_is_reported(
    made: Detector, tokenizer: Tokenizer
) -> None:
    """Marked with its double spaces: the canonical form lost some of it."""
    words, rng, text = ENGLISH.split(), random.Random(4), "The"
    for _ in range(60):
        tried = [text + "  " + word for word in rng.sample(words, 6)]
        text = min(tried, key=lambda one: unchanged(made, one).p_value)
    alone = unchanged(made, text)
    [read] = read_by_all(made, [text])
    assert (read.reading, read.readings) == (AS_IT_IS, 2)
    assert read.p_value == pytest.approx(alone.p_value / 0.9)
    assert read.power < alone.power, "nine tenths of alpha are left"
    assert replace(read, p_value=alone.p_value, readings=1, verdict=alone.verdict) == alone


def test_canonical_texts_are_tested_as_before_to_the_bit(made: Detector) -> None:
    texts = [random_text(seed) for seed in range(20)]
    assert read_by_all(made, texts) == made.detect_ids(made.ids_of(texts))
    mixed = [texts[0], texts[1].replace(" ", "\xa0"), texts[2]]
    assert [read_by_all(made, mixed)[n] for n in (0, 2)] == read_by_all(made, [texts[0], texts[2]])


def test_all_readings_in_one_call_of_the_tagger(tokenizer: Tokenizer) -> None:
    made = detector(tokenizer, 1, Lengths(stela.Parameters()))
    read_by_all(made, [ENGLISH, ENGLISH.replace(" ", "\u2009"), KOREAN])
    tagger = made._contexts.tagger  # type: ignore[union-attr]
    assert isinstance(tagger, LengthTagger)
    assert len(tagger.seen) == 1


def test_prompts_go_with_the_readings_of_their_text(tokenizer: Tokenizer) -> None:
    made = detector(tokenizer, 1, Uniform(stela.Parameters()))
    hasher = ReadsPrompt(KeyedHasher.Parameters(), 5)
    made = made.with_composition(replace(made.composition, hasher=hasher))
    evidence = made.readings_evidence(Batch.of_texts(["a  b", "c"], ["one", "two"], reader=all_readings))
    ends = [[each.before for each in readings] for readings in evidence]
    one, two = made.ids_of(["one", "two"])
    assert ends == [[one[-1:], one[-1:]], [two[-1:]]]


def test_a_passage_lies_in_the_text_as_given(made: Detector, text: str) -> None:
    before, after = random_text(8, 200), random_text(9, 200)
    whole = f"{before} {text} {after}"
    worn = DISGUISES["zero width"](whole)
    [plain], [read] = (
        [with_passage(one, made.composition.scorer) for one in read_by_all(made, [given])]
        for given in (whole, worn)
    )
    assert plain.window is not None
    assert read.window is not None
    assert read.window.text == worn[read.window.start : read.window.end]
    assert read.window.text.replace("\u200b", "") == plain.window.text
    assert read.window.p_value == pytest.approx(10 * plain.window.p_value)
    assert read.window.reading == CANONICAL
    assert read.verdict == "watermarked"


def test_windows_of_all_readings_are_scanned(made: Detector, text: str) -> None:
    """The whole text looks no better in the reading in which its passage is marked."""
    worn = DISGUISES["zero width"](text)
    given = f"{random_text(5, 300)} {worn}"
    [read] = read_by_all(made, [given])
    if read.reading == CANONICAL:  # as if the whole text looked better as it is
        read = replace(read, evidence=read.others[0], others=(read.evidence,), reading=AS_IT_IS)
    passage = with_passage(read, made.composition.scorer).window
    assert passage is not None
    canonical = made.evidence(made.ids_of([all_readings(given)[1].text]))[0]
    expected = find_passage(canonical, made.composition.scorer)
    assert expected is not None
    assert passage.reading == CANONICAL
    assert passage.p_value == pytest.approx(10 * expected.p_value)
    assert passage.p_value < 1e-3


def test_readings_may_be_token_ids(made: Detector, text: str) -> None:
    [ids] = made.ids_of([text])
    other = stela.Reading("cut elsewhere", text, text, ids=ids[:40])
    [read] = made.detect_batch(Batch([[*as_it_is(text), other]]))
    assert (read.reading, read.readings) == (AS_IT_IS, 2)
    [alone] = made.detect_batch(Batch([[other]]))
    assert alone.p_value == made.detect_ids([ids[:40]])[0].p_value
    assert alone.reading == "cut elsewhere"


def test_a_strange_table_rests_on_the_larger_p_of_each_reading(tokenizer: Tokenizer, text: str) -> None:
    made = detector(tokenizer, 1, Lengths(stela.Parameters()))
    made.provenance = Provenance("somebody made it", foreign_table=True)
    type(made.composition.evidence).uses_table = True
    try:
        worn = DISGUISES["double spaces"](text)
        [own, canonical] = (
            made.judge(made.evidence(made.ids_of([one.text]))[0]) for one in all_readings(worn)
        )
        [read] = read_by_all(made, [worn])
        each = [(one, share) for one, share in zip((own, canonical), shares(2), strict=True)]
        best, share = min(each, key=lambda one: max(one[0].p_value, one[0].p_unweighted or 0) / one[1])
        assert read.p_value == pytest.approx(min(1, best.p_value / share))
        assert read.p_unweighted == pytest.approx(min(1, (best.p_unweighted or 0) / share))
        assert f"{read.p_unweighted:.2g}" in (read.caveat or "")
    finally:
        type(made.composition.evidence).uses_table = False


def test_pickled_with_the_way_back(made: Detector, text: str) -> None:
    [read] = read_by_all(made, [DISGUISES["soft hyphens"](text)])
    again = pickle.loads(pickle.dumps(read))
    assert again == read
    assert again.tokens == read.tokens
    assert with_passage(again, made.composition.scorer) == with_passage(read, made.composition.scorer)


@pytest.mark.slow
def test_p_values_of_two_readings_are_valid_over_keys(tokenizer: Tokenizer, draws: Draws) -> None:
    """Unmarked, in disguise, under 200 or 400 keys: the smaller of two p-values fails this."""
    made = detector(tokenizer, 1, Uniform(stela.Parameters()))
    readings = all_readings(random_text(6, 60).replace(" ", "  "))
    p, uncorrected = [], []
    keys = draws(400, 200)
    for key in range(keys):
        other = made.with_composition(made.composition.under(key))
        p.append(other.detect_batch(Batch([readings]))[0].p_value)
        uncorrected.append(min(other.detect_batch(Batch([[one]]))[0].p_value for one in readings))
    chance = 3 * (0.2 * 0.8 / keys) ** 0.5
    assert np.mean(np.array(p) <= 0.2) <= 0.2 + chance
    assert np.mean(np.array(uncorrected) <= 0.2) > 0.2 + chance


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shares_of_alpha_sum_to_one(count: int) -> None:
    assert len(shares(count)) == count
    assert sum(shares(count)) == pytest.approx(1.0, abs=1e-15)
    assert shares(count)[0] == (1.0 if count == 1 else 0.9)


def test_a_marked_text_that_is_not_canonical_loses_a_twentieth_of_a_power_of_ten(
    made: Detector, text: str
) -> None:
    """It lost a factor of two."""
    given = f"{text}  "
    alone, [read] = unchanged(made, given), read_by_all(made, [given])
    assert (read.reading, read.readings) == (AS_IT_IS, 2)
    assert np.log10(read.p_value) - np.log10(alone.p_value) == pytest.approx(0.0458, abs=1e-4)


def test_a_text_is_long_enough_where_its_first_reading_is(tokenizer: Tokenizer) -> None:
    """Seventeen pairs as they are can reach alpha, ten of the canonical form cannot, at a tenth of it."""
    made = detector(tokenizer, 1, Uniform(stela.Parameters()))
    words, seen = random_text(2, 40).split(), 0
    for count in (10, 11):
        for key in range(50):
            other = made.with_composition(made.composition.under(key))
            [both] = other.readings_evidence(Batch.of_texts(["  ".join(words[:count])], reader=all_readings))
            each = [other.judge(one) for one in both]
            best = best_reading(each)
            if [one.verdict for one in each] != ["no watermark found", "insufficient text"]:
                continue
            assert best.verdict == "no watermark found"
            assert best.power == each[0].power
            assert best.p_value == min(one.p_value for one in each)
            seen += best.reading == CANONICAL
    assert seen


def test_capitals_are_read_in_sentence_case_too(made: Detector, text: str) -> None:
    [read] = read_by_all(made, [ENGLISH.upper() * 3])
    assert read.readings == 2
    assert {one.name for one in all_readings(ENGLISH.upper())} == {AS_IT_IS, SENTENCE_CASE}
    three = all_readings(ENGLISH.upper().replace(" ", "\xa0"))
    assert [one.name for one in three] == [AS_IT_IS, CANONICAL, SENTENCE_CASE]
    assert made.detect_batch(Batch([three]))[0].readings == 3
    assert [one.name for one in all_readings(KOREAN + "NATO, FBI, CIA, KBS, MBC, SBS, UNESCO")] == [AS_IT_IS]
