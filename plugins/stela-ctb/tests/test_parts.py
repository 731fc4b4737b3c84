"""The parts of the fast path against slow and independent ways to the same results."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_causal.code_points import code_points
from stela_ctb import boundaries, characters, kernels
from stela_ctb.characters import SPECIAL, SPECIAL_PAIRS, Characters
from stela_ctb.network import CharacterNetwork, with_neighbours
from stela_ctb.pieces import LONGEST, pieces
from stela_ctb.plain import torch_threads, whole

from tests.tiers import examples

LEGAL = {"BM", "BE", "MM", "ME", "EB", "ES", "SB", "SS"}
SCORES = st.lists(
    st.tuples(*[st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 3))] * 4), min_size=1, max_size=6
)


def best_by_trying_all(scores: list[tuple[float, ...]]) -> float:
    """The highest sum over all ways to cut so many characters into words."""
    ways = itertools.product("BMES", repeat=len(scores))
    legal = [
        way
        for way in ways
        if way[0] in "BS" and way[-1] in "ES" and all(a + b in LEGAL for a, b in itertools.pairwise(way))
    ]
    return max(sum(row["BMES".index(label)] for row, label in zip(scores, way, strict=True)) for way in legal)


@examples(60)
@given(SCORES)
def test_best_labels_are_the_best_of_all(scores: list[tuple[float, ...]]) -> None:
    table = np.array(scores)
    found = boundaries.best_labels(table)
    text = "".join("BMES"[label] for label in found)
    assert text[0] in "BS"
    assert text[-1] in "ES"
    assert all(a + b in LEGAL for a, b in itertools.pairwise(text))
    assert sum(table[np.arange(len(table)), found]) == pytest.approx(best_by_trying_all(scores))
    compiled = kernels.best_labels(table, np.zeros(len(table), dtype=bool))
    assert compiled.tolist() == found.tolist()


def test_equal_scores_are_decided_alike_in_both_ways() -> None:
    for size in range(1, 7):
        table = np.zeros((size, 4))
        compiled = kernels.best_labels(table, np.zeros(size, dtype=bool))
        assert compiled.tolist() == boundaries.best_labels(table).tolist()


def test_white_space_parts_words() -> None:
    scores = np.tile([0.0, 9.0, 0.0, -9.0], (7, 1))  # all say: go on
    space = np.array([1, 0, 0, 1, 1, 0, 1], dtype=bool)
    assert kernels.best_labels(scores, space).tolist() == [-1, 0, 2, -1, -1, 3, -1]
    assert boundaries.words_of("a bc  d", scores) == ["a", " ", "bc", "  ", "d"]


def test_labels_of_words() -> None:
    assert boundaries.labels_of([(0, 1), (2, 4), (4, 7)], 8).tolist() == [3, -1, 0, 2, 0, 1, 2, -1]


@pytest.mark.parametrize(("places", "dilation"), [(1, 1), (3, 2), (5, 3), (6, 1), (9, 2)])
def test_convolution_is_the_sum_over_three_places(places: int, dilation: int) -> None:
    chance = np.random.default_rng(places)
    inside = chance.random(places) < 0.8
    given_ = chance.normal(size=(places, 8)) * inside[:, None]
    weight, bias = chance.normal(size=(24, 5)), chance.normal(size=5)
    before = chance.normal(size=(places, 5))
    expected = before.copy()
    for place in np.nonzero(inside)[0]:
        total = bias.copy()
        for side in range(3):
            there = place + (side - 1) * dilation
            if 0 <= there < places:
                total += given_[there] @ weight[side * 8 : side * 8 + 8]
        expected[place] += np.maximum(total, 0)
    kernels.convolve(given_, inside, weight, bias, dilation, before)
    np.testing.assert_allclose(before, expected, rtol=1e-13, atol=1e-13)


def test_a_word_has_the_tag_of_highest_mean_score() -> None:
    scores = np.array([[1.0, 0.0], [0.0, 3.0], [2.0, 2.0], [9.0, 0.0]])
    tags = kernels.best_tags(scores, np.array([0, 2, 3]), np.array([2, 3, 4]))
    assert tags.tolist() == [1, 0, 0]


def test_network_gives_a_text_the_same_scores_beside_any_other() -> None:
    torch.manual_seed(0)
    sizes = {"chars": 9, "pairs": 7, "boundaries": 5, "labels": 3}
    network = CharacterNetwork(sizes, 4, 3, 6, [1, 2]).double().eval()
    ids = [torch.randint(0, size, (1, 5)) for size in (9, 7, 7, 5)]
    chars, left, right, bounds = ids
    alone = network(chars, left, right, torch.ones(1, 5).double(), bounds)
    padded = [torch.cat([part, torch.randint(0, 3, (1, 4))], 1) for part in ids]
    inside = torch.tensor([[1.0] * 5 + [0.0] * 4]).double()
    beside = network(padded[0], padded[1], padded[2], inside, padded[3])
    torch.testing.assert_close(beside[:, :5], alone, rtol=0, atol=1e-12)


def test_neighbours_of_a_short_text() -> None:
    seen = with_neighbours(torch.tensor([[1.0], [2.0]]), 1)
    assert seen.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert with_neighbours(torch.tensor([[1.0], [2.0]]), 3).tolist() == [[0, 1, 0], [0, 2, 0]]


@pytest.fixture
def known() -> Characters:
    return Characters([*SPECIAL, "，", "中", "文"], [*SPECIAL_PAIRS, "0年", "中文"])


def test_ids_of_characters_and_pairs(known: Characters) -> None:
    encoded = known.encode(["中文", "", "7年 A"], gap=1)
    # 年 is a Chinese character the model does not know; A a letter.
    assert encoded.chars.tolist() == [7, 8, 0, 0, 2, 1, 4, 3, 0]
    assert encoded.starts == [0, 3, 4]
    assert encoded.inside.tolist() == [True, True, False, False, True, True, True, True, False]
    assert encoded.space.tolist() == [False, False, True, True, False, False, True, False, True]
    # 7年 is found as 0年; the pair on the right of a place is the one on the left of the next.
    assert encoded.left.tolist() == [1, 3, 1, 1, 1, 2, 1, 1, 1]
    assert encoded.right.tolist() == [3, 1, 1, 1, 2, 1, 1, 1, 1]


def test_ids_do_not_depend_on_the_batch(known: Characters) -> None:
    texts = ["中文7年", "a", "", "🙂文"]
    together = known.encode(texts, gap=3)
    for start, text in zip(together.starts, texts, strict=True):
        alone = known.encode([text], gap=0)
        for name in ("chars", "left", "right", "space"):
            part = getattr(together, name)[start : start + len(text)]
            assert part.tolist() == getattr(alone, name).tolist()


def test_white_space_is_what_python_says_it_is() -> None:
    spaces = [point for point in range(0x110000) if chr(point).isspace()]
    known = Characters(list(SPECIAL), list(SPECIAL_PAIRS))
    points = [chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    found = known.encode(["".join(points)], gap=0)
    assert [ord(points[i]) for i in np.nonzero(found.space)[0]] == spaces


def test_unsorted_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="sorted"):
        Characters(list(SPECIAL), [*SPECIAL_PAIRS, "文中", "中文"])
    assert characters.pairs(code_points("Ａb")).tolist()[1] == ord("A") << 21 | ord("a")


@given(st.text(alphabet="中文a。！ \n🙂", max_size=400))
@examples(50)
def test_pieces_hold_all_but_white_space(text: str) -> None:
    found = pieces(text)
    assert all(text[start : start + len(piece)] == piece for start, piece in found)
    assert "".join(piece for _, piece in found) == "".join(text.split())
    assert all(0 < len(piece) <= LONGEST and not any(map(str.isspace, piece)) for _, piece in found)


def test_pieces_end_with_sentences() -> None:
    assert pieces("好。你 好吗？\n") == [(0, "好。"), (2, "你"), (4, "好吗？")]
    assert [len(piece) for _, piece in pieces("中" * 300)] == [127, 127, 46]


@pytest.mark.parametrize(
    ("words", "size", "expected"),
    [
        ([], 3, [(0, 3)]),
        ([["中", 0, 1], ["文", 1, 2]], 2, [(0, 1), (1, 2)]),
        ([["中", 1, 2], ["文", 4, 5]], 6, [(0, 4), (4, 6)]),
        ([["中", 1, 2], ["文", 1, 3]], 3, [(0, 3)]),
    ],
)
def test_dropped_characters_go_to_a_word(
    words: list[list[object]], size: int, expected: list[tuple[int, int]]
) -> None:
    assert whole(words, size) == expected


def test_torch_threads_are_as_before_afterwards() -> None:
    before = torch.get_num_threads()
    with torch_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
    with pytest.raises(KeyError), torch_threads(before + 2):
        raise KeyError
    assert torch.get_num_threads() == before
