"""Windows that overlap, all in one call for their text, have the tags that spaCy gives each."""

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import pytest
import stela_penn
from hypothesis import example, given
from hypothesis import strategies as st
from stela_penn import Penn
from stela_spacy.pieces import LONGEST_RUN, pieces

from stela_core.text.windows import window_starts
from tests.tiers import Draws, examples

spacy = pytest.importorskip("spacy")
Doc = spacy.tokens.Doc
MODEL = Path(stela_penn.__file__).parent / "model"

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


@cache
def plain() -> Any:
    return spacy.load(MODEL)


@cache
def tags_of(window: str) -> tuple[str, ...]:
    """Tags by spaCy, runs that are too long cut as the tagger cuts them."""
    return tuple(token.tag_ for _, piece in pieces(window) for token in plain()(piece) if not token.is_space)


def agree(penn: Penn, text: str, spans: Sequence[tuple[int, int]], count: int) -> None:
    alone = [tags_of(text[a:b])[-count:] for a, b in spans]
    assert penn.last_tags([text[a:b] for a, b in spans], count) == alone
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


def test_special_cases_across_white_space(penn: Penn) -> None:
    """Of ``: )`` and the like spaCy's rules might see ``:)``, which would hide what overlaps it."""
    text = "well : ) :) he said : - ) and ; ) 8 ) 8) left"
    ends = list(range(len(text) + 1))
    agree(penn, text, list(zip(window_starts(text, ends, 6, "word"), ends, strict=True)), 5)


@pytest.mark.slow
def test_prose_in_a_small_vocabulary(penn: Penn, monkeypatch: pytest.MonkeyPatch, draws: Draws) -> None:
    texts = [text[: draws(1500, 500)] for text in list(topics.values())[: draws(20, 2)]]
    spans = []
    for text in texts:
        ends = list(range(0, len(text), 2))
        spans.append(list(zip(window_starts(text, ends, Penn.window, "word"), ends, strict=True)))
    alone = [penn.last_tags([text[a:b] for a, b in each], 3) for text, each in zip(texts, spans, strict=True)]
    assert penn.last_tags_within(texts, spans, 3) == alone
    monkeypatch.setattr("stela_spacy.tagger.VOCABULARY_LIMIT", 1000)
    small = Penn()
    for text, each, tags in zip(texts, spans, alone, strict=True):
        assert small.last_tags_within([text], [each], 3) == [tags]


class Recorded:
    """A tokenizer that keeps what it is given."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer, self.texts = tokenizer, list[str]()

    def pipe(self, texts: Iterable[str], batch_size: int) -> Iterator[Doc]:
        for text in texts:
            self.texts.append(text)
            yield self.tokenizer(text)


@pytest.mark.parametrize("unit", ["(", "):", "🙂", "\u0301", ".", "\n", "a,", "中"])
def test_no_run_is_cut_in_one(penn: Penn, unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rules are given is bounded, and four times the text gives them at most four times as much.

    Their time for a run is that of its square: 12,000 brackets in one took 20 s.
    """
    nlp: Any = penn.used._nlp  # type: ignore[union-attr]
    totals = []
    for size in (1_000, 4_000):
        rules = Recorded(nlp.tokenizer)
        text = (unit * size)[:size]
        ends = list(range(size + 1))
        spans = list(zip(window_starts(text, ends, penn.window, "word"), ends, strict=True))
        with monkeypatch.context() as patch:
            patch.setattr(nlp, "tokenizer", rules)
            penn.last_tags_within([text], [spans], 1)
            penn.tag([text])
        assert rules.texts
        assert max(len(run) for given in rules.texts for run in given.split() or [""]) <= LONGEST_RUN
        totals.append(sum(map(len, rules.texts)))
    assert totals[1] <= 4 * totals[0] + LONGEST_RUN
