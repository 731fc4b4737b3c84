"""Windows that go on from others, beside each window tagged by itself, whatever was asked before."""

import sys
from pathlib import Path
from threading import Thread
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stela_core.text.windows import window_of

sys.path.insert(0, str(Path(__file__).parent))
from random_model import SHAPES, tagger_in
from stela_causal import growing
from stela_causal.convolution import affine, residual
from stela_causal.growing_layers import compute, layers_of
from stela_causal.words import CausalWords

from tests.tiers import examples

LETTERS = "aebd  no\n1é가ä東"
WINDOW = 5
Unit = Literal["word", "character"]
UNITS: list[Unit] = ["word", "character"]


@pytest.fixture(scope="module", params=range(3), ids=["words", "characters", "pairs"])
def words(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CausalWords:
    return tagger_in(tmp_path_factory.mktemp("growing"), SHAPES[request.param])._words


def by_tag(words: CausalWords, windows: list[str], count: int) -> list[tuple[str, ...]]:
    """The slow way: all tags of each window, of which the last are taken."""
    return [tuple(tag.tag for tag in tags)[-count:] for tags in words.tag(windows)]


steps = st.lists(st.tuples(st.integers(0, 3), st.text(LETTERS, max_size=9)), max_size=40)


@examples(60)
@given(steps=steps, count=st.integers(1, 4), unit=st.sampled_from(UNITS))
def test_texts_that_grow_start_anew_and_branch(
    words: CausalWords, steps: list[tuple[int, str]], count: int, unit: Unit
) -> None:
    texts = ["", "ab", "", " a"]
    for row, more in steps:
        texts[row] = texts[row] + more if more else texts[(row + 1) % 4][:-2]
        windows = [window_of(text, WINDOW, unit) for text in texts]
        grown = words.growing.last_tags(windows, count)
        assert grown == by_tag(words, windows, count)
        assert grown == words.last_tags_anew(windows, count)


def test_few_strips_are_taken_from_those_used_longest_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "ROWS", 3)
    words = tagger_in(tmp_path)._words
    chance = np.random.default_rng(1)
    texts = ["".join(chance.choice(list(LETTERS), 60)) for _ in range(9)]
    for end in range(1, 60):
        chosen = chance.choice(9, 3, replace=False)
        windows = [window_of(texts[number][:end], WINDOW, "word") for number in chosen]
        assert words.last_tags(windows, 2) == by_tag(words, windows, 2)
    assert len(words.growing._texts) + len(words.growing._firsts) == 3
    assert words.growing.last_tags(["a"] * 4, 2) is None


def test_a_text_beyond_its_strip_and_a_window_too_long(words: CausalWords) -> None:
    text = "ab no de " * 60
    for end in range(0, len(text), 7):
        windows = [window_of(text[:end], WINDOW, "word")]
        assert words.growing.last_tags(windows, 2) == by_tag(words, windows, 2)
    long = ["a" * (growing.LONGEST + 1)]
    assert words.growing.last_tags(long, 2) is None
    assert words.last_tags(long, 2) == by_tag(words, long, 2)


def test_white_space_and_nothing(words: CausalWords) -> None:
    for windows in (["", " ", "a"], ["  ", "", "a "], ["\n\n\n\n", "", ""]):
        assert words.growing.last_tags(windows, 3) == by_tag(words, windows, 3)


def test_what_fails_leaves_nothing_behind(words: CausalWords, monkeypatch: pytest.MonkeyPatch) -> None:
    words.last_tags(["ab no"], 1)

    def fail(*given: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(words.growing, "_judge", fail)
        with pytest.raises(KeyboardInterrupt):
            words.last_tags(["ab no b"], 1)
    assert words.last_tags(["ab no be", "b"], 2) == by_tag(words, ["ab no be", "b"], 2)


def test_threads_get_the_same(words: CausalWords) -> None:
    text = "nabe 1 ona bed no; aebd " * 3
    windows = [window_of(text[:end], WINDOW, "word") for end in range(1, len(text))]
    expected = by_tag(words, windows, 2)
    got: list[list[tuple[str, ...]]] = [[] for _ in range(4)]

    def run(number: int) -> None:
        got[number] = [words.last_tags([window], 2)[0] for window in windows]

    threads = [Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 4


@examples(25)
@given(asked=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6))
def test_layers_where_they_are_asked_for_are_those_of_all_places(asked: list[tuple[int, int]]) -> None:
    chance = np.random.default_rng(2)

    def drawn(*shape: int) -> npt.NDArray[np.float32]:
        return chance.normal(size=shape).astype(np.float32)

    layers = [(drawn(12, 8), drawn(8)), (drawn(24, 8), drawn(8)), (drawn(24, 8), drawn(8))]
    dilations, last = [1, 2, 3], (drawn(8, 5), drawn(5))
    given_, first, size = drawn(40, 4), 7, 31
    grown = layers_of(layers, dilations, last, 40)
    grown.given[:] = given_  # what stands before a text is not seen
    hidden = residual(given_[first : first + size].copy(), np.ones(size, np.bool_), layers, dilations)
    expected = affine(hidden, *last)
    for a, b in asked:
        start, end = min(a, b), max(a, b) + 1
        new = compute(np.array([[first, first, first + end, first + start]]), grown)
        assert len(set(new.tolist())) == len(new)
        here = slice(first + start, first + end)
        assert grown.scores[here].tobytes() == expected[start:end].tobytes()
