"""The causal models: a pass over a text says of its windows what they and HanLP say by themselves."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from ctb_texts import ODD, SENTENCES, documents, windows
from hypothesis import given
from hypothesis import strategies as st
from stela_ctb import Ctb
from stela_ctb.causal_fast import CausalPair

from stela_core.text.windows import window_starts
from tests.tiers import examples

pytestmark = pytest.mark.slow

TEXT = st.text(st.sampled_from("的我们今天早上。，一起 \n去学a1２校\u3000中🙂"), max_size=90)


def random_pair(seed: int, width: int = 16) -> tuple[Any, Any]:
    """Components of small networks with random weights: of short and of long words, by chance."""
    import torch
    from hanlp.common.vocab import Vocab
    from stela_ctb.causal_components import CausalTagger, CausalTokenizer
    from stela_ctb.characters import SPECIAL, SPECIAL_PAIRS, Characters

    torch.manual_seed(seed)
    chars = [*SPECIAL, *sorted({c for text in SENTENCES for c in text if not c.isspace()})]
    texts = sorted({text[i : i + 2] for text in SENTENCES for i in range(len(text) - 1)})
    pairs = [*SPECIAL_PAIRS, *(pair for pair in texts if all("一" <= c <= "鿿" for c in pair))]
    made = []
    for kind, labels, dilations in ((CausalTokenizer, "gb", [1, 1, 2]), (CausalTagger, "xyz", [1, 2])):
        component = kind()
        component.config.update(char_width=8, pair_width=4, width=width, dilations=dilations)
        for name, known in (("char", chars), ("pair", pairs), ("tag", list(labels))):
            component.vocabs[name] = Vocab(pad_token=None, unk_token=None).copy_from(
                {"idx_to_token": known, "mutable": False}
            )
        component.characters = Characters(chars, pairs)
        component.model = component.build_model().half().double()
        component.model.eval()
        made.append(component)
    return made[0], made[1]


@pytest.fixture(scope="module", params=range(3))
def pair(request: pytest.FixtureRequest) -> CausalPair:
    return CausalPair(*random_pair(request.param))


@pytest.fixture(scope="module")
def causal() -> Ctb:
    return Ctb(Ctb.Parameters(model="causal"))


def agree(pair: CausalPair, text: str, spans: Sequence[tuple[int, int]], count: int) -> None:
    alone = [pair.last_tags([text[a:b]], count)[0] for a, b in spans]
    assert pair.last_tags_within([text], [spans], count) == [alone]
    assert alone == [
        tuple(tag.tag for tag in tags[-count:]) for tags in pair.tag([text[a:b] for a, b in spans])
    ]


@examples(60)
@given(text=TEXT, window=st.integers(1, 40), count=st.integers(1, 5))
def test_windows_of_all_prefixes(pair: CausalPair, text: str, window: int, count: int) -> None:
    ends = list(range(len(text) + 1))
    agree(pair, text, list(zip(window_starts(text, ends, window, "character"), ends, strict=True)), count)


@examples(60)
@given(text=TEXT, chance=st.randoms(use_true_random=False), count=st.integers(1, 5))
def test_any_windows(pair: CausalPair, text: str, chance: random.Random, count: int) -> None:
    places = [sorted(chance.randint(0, len(text)) for _ in range(2)) for _ in range(20)]
    agree(pair, text, [(a, b) for a, b in places], count)


def by_hanlp(components: tuple[Any, Any], text: str) -> list[tuple[str, str]]:
    words = components[0].predict(text)
    return (
        [(word, tag) for word, tag in zip(words, components[1].predict(words), strict=True) if tag]
        if words
        else []
    )


def in_words(pair: Any, text: str) -> list[tuple[str, str]]:
    [tags] = pair.tag([text])
    return [(text[tag.start : tag.end], tag.tag) for tag in tags]


@pytest.mark.parametrize("seed", range(3))
def test_the_pass_gives_the_words_and_tags_of_hanlp(seed: int) -> None:
    components = random_pair(seed)
    pair = CausalPair(*components)
    for text in [*SENTENCES, *documents(20), *windows(100), *ODD]:
        assert in_words(pair, text) == by_hanlp(components, text)


def test_places_depend_on_no_more_than_the_reach() -> None:
    """The slow oracle of what makes a window's own: other text before it changes no score beyond."""
    pair = CausalPair(*random_pair(5))
    chance = random.Random(5)
    letters = "的我们今天早上一起去学校"
    for arrays in (pair._tokenizer, pair._tagger):
        for _ in range(50):
            tail = "".join(chance.choices(letters, k=arrays.reach + 5))
            one, two = ("".join(chance.choices(letters, k=9)) + tail for _ in range(2))
            scores = [
                arrays.scores(arrays.characters.encode([text], pair._gap))[len(text) - 5 : len(text)]
                for text in (one, two)
            ]
            alone = arrays.scores(arrays.characters.encode([tail], pair._gap))[arrays.reach : len(tail)]
            assert scores[0].tobytes() == scores[1].tobytes() == alone.tobytes()
            assert not np.array_equal(alone, np.zeros_like(alone))


def test_shipped_pair_gives_the_words_and_tags_of_hanlp(causal: Ctb) -> None:
    import hanlp
    from stela_ctb.tagger import HERE

    components = tuple(
        hanlp.load(str(HERE / "causal" / part), devices=-1, verbose=False) for part in ("tok", "pos")
    )
    for text in [*SENTENCES, *documents(60), *windows(250), *ODD]:
        assert in_words(causal, text) == by_hanlp(components, text)


def test_most_windows_of_the_shipped_pair_share_the_pass(causal: Ctb) -> None:
    text = "".join(SENTENCES)
    ends = list(range(1, len(text) + 1))
    spans = list(zip(window_starts(text, ends, Ctb.window, "character"), ends, strict=True))
    assert isinstance(causal._pair, CausalPair)
    known = causal._pair._lying([text], [spans], 3)
    assert sum(tags is None for tags in known) < 0.1 * len(known)
    agree(causal._pair, text, spans, 3)


def test_both_shipped_pairs_are_told_apart(causal: Ctb) -> None:
    plain = Ctb()
    assert causal.fingerprint != plain.fingerprint
    assert causal.fingerprint == Ctb.fingerprint_of(Ctb.Parameters(model="causal"))
    assert Ctb.accepts_from_profile("causal")
    assert set(causal.tables()) == set(plain.tables()) == {2, 3, 4}
    assert not set(causal.tables().values()) & set(plain.tables().values())
    for file in causal.tables().values():
        assert json.loads(file.read_text(encoding="utf-8"))["tagger"]["fingerprint"] == causal.fingerprint
