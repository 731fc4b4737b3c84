"""The causal model: a pass over a text says of its windows what they and the definition say."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from korean_texts import ODD, SENTENCES, documents, windows
from plain_network import PlainNetwork
from stela_sejong import Sejong
from stela_sejong.causal_characters import Characters
from stela_sejong.causal_fast import CausalMorphemes
from stela_sejong.causal_files import Saved, read_model, write_model
from stela_sejong.causal_network import BLOCK

from stela_core.text.windows import window_starts
from tests.tiers import examples

pytestmark = pytest.mark.slow

TEXT = st.text(st.sampled_from("한국의 역사는 하였다.갔\n12a,뷁　漢ㅋ🙂"), max_size=90)


def random_model(seed: int, width: int = 16) -> Saved:
    """A small network whose weights are multiples of 1/16, so that no sum of 32 bits is rounded."""
    chance = np.random.default_rng(seed)
    characters = Characters("".join(sorted(set("한국의역사하.1,a漢"))), 6)
    labels = [(), ("NNG",), ("VV", "EP"), ("JX",), ("XSV", "EC", "JX")]
    shapes: dict[str, tuple[int, ...]] = {"chars.weight": (characters.others, 8)}
    shapes |= {f"jamo.{number}.weight": (size, 8) for number, size in enumerate((19, 21, 28))}
    shapes |= {"pairs.weight": (64, 4), "triples.weight": (64, 4)}
    shapes |= {"first.weight": (width, 48), "first.bias": (width,)}
    for number in range(2):
        shapes |= {f"blocks.{number}.weight": (width, 3 * width), f"blocks.{number}.bias": (width,)}
    for delay in range(3):
        shapes |= {f"labels.{delay}.weight": (len(labels), width), f"labels.{delay}.bias": (len(labels),)}
    arrays = {name: (chance.integers(-2, 3, shape) / 16).astype(np.float32) for name, shape in shapes.items()}
    # Else nothing begins at most characters, or something at nearly all.
    for delay in range(3):
        arrays[f"labels.{delay}.bias"][0] += np.float32(0.0625 * (seed % 3))
    return Saved(characters, labels, [1, 1, 2], 2, arrays)


@pytest.fixture(scope="module", params=range(3))
def model(request: pytest.FixtureRequest) -> CausalMorphemes:
    return CausalMorphemes(random_model(request.param))


@pytest.fixture(scope="module")
def causal() -> Sejong:
    return Sejong(Sejong.Parameters(model="causal"))


@pytest.fixture(scope="module")
def shipped() -> CausalMorphemes:
    import stela_sejong

    return CausalMorphemes(read_model(Path(stela_sejong.__file__).parent / "causal"))


def agree(model: CausalMorphemes, text: str, spans: Sequence[tuple[int, int]], count: int) -> None:
    alone = [model.last_tags([text[a:b]], count)[0] for a, b in spans]
    assert model.last_tags_within([text], [spans], count) == [alone]
    assert alone == [
        tuple(tag.tag for tag in tags[-count:]) for tags in model.tag([text[a:b] for a, b in spans])
    ]


@examples(60)
@given(text=TEXT, window=st.integers(1, 6), count=st.integers(1, 5))
def test_windows_of_all_prefixes(model: CausalMorphemes, text: str, window: int, count: int) -> None:
    ends = list(range(len(text) + 1))
    agree(model, text, list(zip(window_starts(text, ends, window, "word"), ends, strict=True)), count)


@examples(60)
@given(text=TEXT, chance=st.randoms(use_true_random=False), count=st.integers(1, 5))
def test_any_windows(model: CausalMorphemes, text: str, chance: random.Random, count: int) -> None:
    places = [sorted(chance.randint(0, len(text)) for _ in range(2)) for _ in range(20)]
    agree(model, text, [(a, b) for a, b in places], count)


@pytest.mark.parametrize("seed", range(4))
def test_tags_are_those_of_the_definition(seed: int) -> None:
    saved = random_model(seed)
    plain, fast = PlainNetwork(saved), CausalMorphemes(saved)
    seen = set()
    for text in [*documents(10), *windows(60), *ODD]:
        expected = plain.tag(text)
        assert fast.tag([text]) == [expected]
        seen |= {tag.tag for tag in expected}
    assert len(seen) > 2


def test_shipped_model_gives_the_tags_of_the_definition(shipped: CausalMorphemes) -> None:
    import stela_sejong

    plain = PlainNetwork(read_model(Path(stela_sejong.__file__).parent / "causal"))
    for text in [*SENTENCES, *windows(60), *ODD]:
        assert shipped.tag([text]) == [plain.tag(text)]


def test_blocks_show_in_no_tag(model: CausalMorphemes) -> None:
    """A text of several blocks, against its windows, each of which lies in one."""
    text = " ".join(documents(60))
    assert len(text) > 3 * BLOCK
    spans = [(end - 90, end) for end in range(BLOCK - 40, len(text), 7)]
    agree(model, text, spans, 3)


@pytest.mark.parametrize("end", ["", " " * 40, "\n" * 9, "가" * 40, "1" * 12])
@pytest.mark.parametrize("length", range(14, 22))
def test_ends_of_texts_are_those_of_the_whole(model: CausalMorphemes, length: int, end: str) -> None:
    """Texts that are just longer or shorter than what the last tags are looked for in."""
    text = SENTENCES[3][:length] + end
    for count in range(1, 6):
        assert model.last_tags([text], count) == [tuple(tag.tag for tag in model.tag([text])[0][-count:])]


def test_places_depend_on_no_more_than_the_reach() -> None:
    """The slow oracle of what makes a window's own: other text before it changes no bit beyond."""
    model = CausalMorphemes(random_model(5))
    network, chance = model._network, random.Random(5)
    letters = "한국의역사는하였다 .1a"
    for _ in range(50):
        tail = "".join(chance.choices(letters, k=network.reach + 5))
        texts = ["".join(chance.choices(letters, k=9)) + tail for _ in range(2)]
        vectors = []
        for text in (*texts, tail):
            encoded = model._encode([text], network.gap)
            vectors.append(network.hidden(encoded, 0, len(text))[-5:])
        assert vectors[0].tobytes() == vectors[1].tobytes() == vectors[2].tobytes()
        assert vectors[0].any()
    # And no less: the reach is not larger than it is.
    assert network.reach == 2 * (1 + 1 + 2) + 2


def test_most_windows_of_the_shipped_model_share_the_pass(shipped: CausalMorphemes) -> None:
    text = " ".join(SENTENCES)
    ends = list(range(1, len(text) + 1))
    spans = list(zip(window_starts(text, ends, Sejong.window, "word"), ends, strict=True))
    known = shipped._lying([text], [spans], 3)
    assert sum(tags is None for tags in known) < 0.1 * len(known)
    agree(shipped, text, spans, 3)


def test_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    saved = random_model(1)
    for name in ("one", "two"):
        write_model(tmp_path / name, saved)
    again = read_model(tmp_path / "one")
    assert again.labels == saved.labels
    assert again.characters.known == saved.characters.known
    assert all(np.array_equal(again.arrays[name], saved.arrays[name]) for name in saved.arrays)
    files = [sorted(path.read_bytes() for path in (tmp_path / name).iterdir()) for name in ("one", "two")]
    assert files[0] == files[1]
