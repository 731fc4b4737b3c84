"""What contexts see of a tagger: the ends of prefixes, against an answer that is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from stela_language.measuring import measure_prefixes, share_of
from stela_language.treebank import Sentence, Word

import stela_core as stela

TEXT = "One small dog ran, and two large cats slept near it ."


def tagged(text: str) -> list[stela.Tag]:
    return [
        stela.Tag("LONG" if len(m.group()) > 3 else "SHORT", *m.span()) for m in re.finditer(r"\w+|\S", text)
    ]


class Lengths(stela.Tagger[stela.Parameters]):
    name, language, tagset, model, version = "lengths", "en", "lengths", "none", "1"
    window = 3

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        return [tagged(text) for text in texts]


class Never(Lengths):
    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        return [[] for _ in texts]


SENTENCES = [Sentence(TEXT, tuple(Word(t.start, t.end, t.tag) for t in tagged(TEXT)), spaced=True)] * 60


def test_a_tagger_of_whole_words_is_right_after_words() -> None:
    made = measure_prefixes(Lengths(), SENTENCES, 300, 0)
    after = made.right[~made.inside]
    assert after.all()
    assert after.shape == (len(after), 3)
    assert set(made.texts.tolist()) == {0, 1, 2}
    assert len(made.right) > 0.9 * 900  # but for those with fewer than two words


def test_within_a_word_the_tag_of_the_whole_word_is_wanted() -> None:
    """Of a word of more than three letters the first three say SHORT, the others LONG."""
    made = measure_prefixes(Lengths(), SENTENCES, 300, 0)
    within = made.right[made.inside]
    # By hand: short words have 2 + 2 + 2 + 2 + 2 + 1 cuts within; long ones of 5, 5, 4, 5 and 4 letters.
    right = 2 + 2 + 2 + 2 + 2 + 1 + 1 + 1 + 0 + 1 + 0
    wrong = 3 * 5
    assert abs(within[:, 0].mean() - right / (right + wrong)) < 0.08
    assert (within[:, 0] == within[:, 2]).all()


def test_a_tagger_without_tags_is_never_right() -> None:
    assert not measure_prefixes(Never(), SENTENCES, 50, 0).right.any()


def test_places_are_the_same_for_each_tagger() -> None:
    one, two = (measure_prefixes(tagger, SENTENCES, 50, 3) for tagger in (Lengths(), Never()))
    assert (one.inside == two.inside).all()
    assert (one.texts == two.texts).all()


def test_interval_of_a_share() -> None:
    chance = np.random.default_rng(1)
    texts = np.repeat(np.arange(400), 10)
    values = (chance.random(4000) < 0.3).astype(float)
    share, low, high = share_of(values, texts)
    assert share == values.mean()
    width = 2 * 1.96 * (0.3 * 0.7 / 4000) ** 0.5
    assert 0.8 * width < high - low < 1.2 * width
    # What a text's prefixes share widens it.
    _, low, high = share_of(np.repeat(values[:400], 10), texts)
    assert high - low > 2.5 * width
