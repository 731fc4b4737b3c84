"""Windows that overlap, tagged at one pass over their text, beside each window tagged alone."""

import random
from collections.abc import Sequence
from pydoc_data.topics import topics
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from stela_penn import Penn
from stela_spacy.piece_tokens import BREAK
from stela_spacy.pieces import LONGEST_RUN
from stela_spacy.tails import TailTagger

from stela_core.text.windows import window_starts
from tests.tiers import Draws, examples

pytest.importorskip("spacy")

# fmt: off
PARTS = st.sampled_from([
    "the ", "Cat", "do", "n't", "I", "'m ", ":", ")", "-", ".", "a.m", ", ", " ", "  ", "\n", "\t", "\u3000",
    "\u00a0", "1", "0km", "$", "http://a.b/c", '"', "(", "x" * 30, "é", "中文", "🙂", "\u200b", "\x1c", "ing",
    "Trad", "_", "8",
])
# fmt: on
TEXT = st.lists(PARTS, max_size=40).map("".join)


@pytest.fixture(scope="module")
def penn() -> Penn:
    return Penn()


def agree(penn: Penn, text: str, spans: Sequence[tuple[int, int]], count: int) -> None:
    alone = [tuple(tag.tag for tag in tags)[-count:] for tags in penn.tag([text[a:b] for a, b in spans])]
    assert [penn.last_tags([text[a:b]], count)[0] for a, b in spans] == alone
    assert penn.last_tags_within([text], [spans], count) == [alone]


@pytest.mark.slow
@examples(40)
@given(text=TEXT, window=st.integers(1, 9), count=st.integers(1, 6))
@example(text="a : ) b :) c", window=6, count=3)
@example(text=":  ) 8 -) :- )", window=6, count=4)
@example(text="a  b \n c\n\n d ", window=6, count=3)
@example(text="x" * 250 + " y", window=9, count=2)
@example(text="a " + "(" * 230 + " :) b", window=6, count=3)
@example(text=".(" * 120 + "\n" * 130 + "c", window=8, count=2)
def test_windows_of_all_prefixes(penn: Penn, text: str, window: int, count: int) -> None:
    ends = list(range(len(text) + 1))
    agree(penn, text, list(zip(window_starts(text, ends, window, "word"), ends, strict=True)), count)


@examples(40)
@given(text=TEXT, chance=st.randoms(use_true_random=False), count=st.integers(1, 6))
def test_any_spans(penn: Penn, text: str, chance: random.Random, count: int) -> None:
    places = [sorted(chance.randint(0, len(text)) for _ in range(2)) for _ in range(20)]
    agree(penn, text, [(a, b) for a, b in places], count)


def test_special_cases_across_white_space_are_cut_by_spacy_alone(penn: Penn) -> None:
    """Of ``: )`` and the like spaCy's rules might see ``:)``, which would hide what overlaps it."""
    text = "well : ) :) he said : - ) and ; ) 8 ) 8) left"
    ends = list(range(len(text) + 1))
    spans = list(zip(window_starts(text, ends, 6, "word"), ends, strict=True))
    agree(penn, text, spans, 5)
    within = penn.used._tails.last_tags_within([text], [spans], 5)  # type: ignore[union-attr]
    assert any(tags is None for tags in within[0])
    assert any(tags is not None for tags in within[0])


@pytest.mark.slow
def test_prose_in_small_caches(penn: Penn, monkeypatch: pytest.MonkeyPatch, draws: Draws) -> None:
    texts = [text[: draws(1500, 700)] for text in list(topics.values())[: draws(20, 3)]]
    spans = []
    for text in texts:
        ends = list(range(0, len(text), 2))
        spans.append(list(zip(window_starts(text, ends, Penn.window, "word"), ends, strict=True)))
    alone = [penn.last_tags([text[a:b] for a, b in each], 3) for text, each in zip(texts, spans, strict=True)]
    assert penn.last_tags_within(texts, spans, 3) == alone
    monkeypatch.setattr("stela_spacy.piece_tokens.KEPT_PIECES", 100)
    monkeypatch.setattr("stela_spacy.network.CACHED_TOKENS", 50)
    monkeypatch.setattr("stela_spacy.tails.AT_ONCE", 100)
    monkeypatch.setattr("stela_spacy.tagger.VOCABULARY_LIMIT", 1000)
    small = Penn()
    for text, each, tags in zip(texts, spans, alone, strict=True):
        assert small.last_tags_within([text], [each], 3) == [tags]


@pytest.mark.slow
def test_scores_have_the_bits_of_each_window_alone(penn: Penn) -> None:
    network = penn.used._tails.network  # type: ignore[union-attr]
    text = topics["assignment"][:3000]
    docs = [penn.used._nlp.make_doc(text[a : a + 40].strip()) for a in range(0, 2900, 7)]
    docs = [doc for doc in docs if len(doc) and not doc[-1].is_space]
    model = penn.used._nlp.get_pipe("tagger").model  # type: ignore[attr-defined]
    expected = np.concatenate([model.predict([doc])[0][-1:] for doc in docs])
    keys, numbers, around = [b""], {}, []
    for doc in docs:
        raw = [row.tobytes() for row in doc.to_array(penn.used._tails.columns)]  # type: ignore[union-attr]
        for key in raw:
            if key not in numbers:
                numbers[key] = len(keys)
                keys.append(key)
        around.append([*[0, 0, *(numbers[key] for key in raw)][-3:], 0, 0])
    assert network.scores_around(keys, np.array(around)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("unit", ["(", "):", "🙂", "\u0301", ".", "\n", "a,", "中"])
def test_no_run_is_cut_in_one(penn: Penn, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules are given is bounded, and four times the text gives them at most four times as much.

    Their time for a run is that of its square: 12,000 brackets in one took 20 s.
    """
    given_: list[str] = []
    assert isinstance(penn.used._tails, TailTagger)
    rules, make_doc = penn.used._tails._table()._rule_words.words_of, penn.used._tails._table()._make_doc

    def words_of(piece: str) -> list[str] | None:
        given_.append(piece)
        return rules(piece)

    def cut(text: str) -> Any:
        given_.extend(text.split(BREAK))
        return make_doc(text)

    totals = []
    for size in (1_000, 4_000):
        penn.used._tails._pieces = None
        table = penn.used._tails._table()
        monkeypatch.setattr(table._rule_words, "words_of", words_of)
        monkeypatch.setattr(table, "_make_doc", cut)
        monkeypatch.setattr(penn.used._tails, "_make_doc", cut)
        given_.clear()
        text = (unit * size)[:size]
        ends = list(range(size + 1))
        spans = list(zip(window_starts(text, ends, penn.window, "word"), ends, strict=True))
        penn.last_tags_within([text], [spans], 1)
        assert max(map(len, given_), default=0) <= LONGEST_RUN
        totals.append(sum(map(len, given_)))
    assert totals[1] <= 4 * totals[0] + LONGEST_RUN
    penn.used._tails._pieces = None
