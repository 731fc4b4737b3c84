"""A pass over a text says of its windows what they say by themselves, in each kind of model."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stela_core.text.windows import window_starts

sys.path.insert(0, str(Path(__file__).parent))
from random_model import SHAPES, tagger_in
from stela_causal.word_network import BLOCK
from stela_causal.words import CausalWords

from tests.tiers import examples

LETTERS = "aebd  no\n1é가ä東각나다🙂\u3000"
TEXT = st.text(st.sampled_from(LETTERS), max_size=90)
UNITS: list[Literal["word", "character"]] = ["word", "character"]


@pytest.fixture(scope="module", params=range(3), ids=["words", "characters", "pairs"])
def words(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CausalWords:
    return tagger_in(tmp_path_factory.mktemp("windows"), SHAPES[request.param])._words


def agree(words: CausalWords, text: str, spans: Sequence[tuple[int, int]], count: int) -> None:
    alone = [words.last_tags([text[a:b]], count)[0] for a, b in spans]
    assert words.last_tags_within([text], [spans], count) == [alone]
    assert alone == [
        tuple(tag.tag for tag in tags[-count:]) for tags in words.tag([text[a:b] for a, b in spans])
    ]


@examples(25)
@given(text=TEXT, window=st.integers(1, 9), count=st.integers(1, 5), unit=st.sampled_from(UNITS))
def test_windows_of_all_prefixes(
    words: CausalWords, text: str, window: int, count: int, unit: Literal["word", "character"]
) -> None:
    ends = list(range(len(text) + 1))
    agree(words, text, list(zip(window_starts(text, ends, window, unit), ends, strict=True)), count)


@examples(25)
@given(text=TEXT, chance=st.randoms(use_true_random=False), count=st.integers(1, 5))
def test_any_windows(words: CausalWords, text: str, chance: random.Random, count: int) -> None:
    places = [sorted(chance.randint(0, len(text)) for _ in range(2)) for _ in range(20)]
    agree(words, text, [(a, b) for a, b in places], count)


def test_blocks_show_in_no_tag(words: CausalWords) -> None:
    """A text of several blocks, against its windows, each of which lies in one."""
    text = "".join(random.Random(1).choices(LETTERS, k=3 * BLOCK))
    agree(words, text, [(end - 90, end) for end in range(BLOCK - 40, len(text), 7)], 3)
