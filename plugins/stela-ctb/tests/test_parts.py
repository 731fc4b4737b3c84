"""The parts of the fast path against slow and independent ways to the same results."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_ctb import shipped
from stela_ctb.characters import alphabet_of, folded
from stela_ctb.hanlp_tagger import LONGEST, pieces, torch_threads, whole
from stela_ctb.shipped import CharacterNetwork

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
    found = shipped.best_labels(table)
    text = "".join("BMES"[label] for label in found)
    assert text[0] in "BS"
    assert text[-1] in "ES"
    assert all(a + b in LEGAL for a, b in itertools.pairwise(text))
    assert sum(table[np.arange(len(table)), found]) == pytest.approx(best_by_trying_all(scores))


def test_of_equal_labels_the_first_counts() -> None:
    assert shipped.best_labels(np.zeros((1, 4))).tolist() == [3]
    # From the last one back: E before S, B before M, and only S can be the first and stand before B.
    assert shipped.best_labels(np.zeros((3, 4))).tolist() == [3, 0, 2]


def test_white_space_parts_words() -> None:
    scores = np.tile([0.0, 9.0, 0.0, -9.0], (7, 1))  # all say: go on
    assert shipped.words_of("a bc  d", scores) == [(0, 1), (2, 4), (6, 7)]


def test_labels_of_words() -> None:
    assert shipped.labels_of([(0, 1), (2, 4), (4, 7)], 8).tolist() == [3, -1, 0, 2, 0, 1, 2, -1]


def plain_scores(weights: dict[str, torch.Tensor], ids: list[list[int]], dilations: list[int]) -> np.ndarray:
    """(n, labels) scores of a text, place by place from the definition; tables as HanLP saves them."""
    arrays = {name: tensor.double().numpy() for name, tensor in weights.items()}
    tables = [arrays[f"{name}.weight"] for name in ("chars", "pairs", "pairs", "boundaries")]
    given = [np.concatenate([t[row] for t, row in zip(tables, rows, strict=True)]) for rows in ids]
    hidden = [np.zeros(len(arrays["first.bias"])) for _ in ids]
    for name, step in [("first", 1), *((f"blocks.{n}", step) for n, step in enumerate(dilations))]:
        nothing = np.zeros_like(given[0])
        more = []
        for place in range(len(ids)):
            there = [
                given[at] if 0 <= at < len(ids) else nothing for at in (place - step, place, place + step)
            ]
            total = arrays[f"{name}.weight"] @ np.concatenate(there) + arrays[f"{name}.bias"]
            more.append(np.maximum(total, 0))
        given = hidden = [one + other for one, other in zip(hidden, more, strict=True)]
    return np.array([arrays["labels.weight"] @ each + arrays["labels.bias"] for each in hidden])


CHARS, PAIRS = ["，", "中", "文"], ["0年", "中文"]
SPECIAL = ["<outside>", "<han>", "<digit>", "<letter>", "<space>", "<other>"]


def tiny_network() -> tuple[CharacterNetwork, dict[str, torch.Tensor]]:
    """A network of random weights, and those."""
    torch.manual_seed(0)
    shapes = {"chars": (9, 4), "pairs": (4, 3), "boundaries": (5, 8), "labels": (3, 6)}
    shapes |= {"first": (6, 3 * (4 + 3 + 3 + 8)), "blocks.0": (6, 18), "blocks.1": (6, 18)}
    weights = {f"{name}.weight": torch.randn(shape) for name, shape in shapes.items()}
    weights |= {f"{name}.bias": torch.randn(len(weights[f"{name}.weight"])) for name in ("labels", "first")}
    weights |= {f"blocks.{number}.bias": torch.randn(6) for number in range(2)}
    known = {"char": [*SPECIAL, *CHARS], "pair": ["<outside>", "<unknown>", *PAIRS], "tag": ["x", "y", "z"]}
    vocabularies = {name: {"idx_to_token": each} for name, each in known.items()}
    return CharacterNetwork(vocabularies, weights, [1, 2]), weights


def test_scores_are_those_of_the_definition_beside_any_other_text() -> None:
    network, weights = tiny_network()
    # 年 is a Chinese character the model does not know; A a letter; 7年 is found as 0年.
    cases = {
        "中文": [[7, 1, 3], [8, 3, 1]],
        "": [],
        "7年 A": [[2, 1, 2], [1, 2, 1], [4, 1, 1], [3, 1, 1]],
        "中文，" * 5: [[7, 1, 3], *([[8, 3, 1], [6, 1, 1], [7, 1, 3]] * 5)[:-1]],
    }
    labels = [np.arange(len(text)) % 5 - 1 for text in cases]
    scores = network.scores(list(cases), labels)
    for got, ids, each in zip(scores, cases.values(), labels, strict=True):
        rows = [[*one, label + 1] for one, label in zip(ids, each.tolist(), strict=True)]
        expected = plain_scores(weights, rows, [1, 2]) if rows else np.zeros((0, 3))
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-12)


def test_blocks_show_in_no_score(monkeypatch: pytest.MonkeyPatch) -> None:
    network, _ = tiny_network()
    texts, labels = ["中文，年7 " * 30], [np.arange(180) % 5 - 1]
    [whole] = network.scores(texts, labels)
    monkeypatch.setattr(shipped, "BLOCK", 50)
    np.testing.assert_allclose(network.scores(texts, labels)[0], whole, rtol=1e-12, atol=1e-12)


def test_white_space_is_what_python_says_it_is() -> None:
    spaces = [point for point in range(0x110000) if chr(point).isspace()]
    points = [chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000]
    encoded = alphabet_of([], []).encode(["".join(points)], 1)
    assert [ord(points[i]) for i in np.nonzero(encoded.space[:-1])[0]] == spaces


def test_full_width_forms_stand_for_ascii_in_pairs() -> None:
    assert [folded(char) for char in "Ａb７8Z，！中"] == ["A", "a", "0", "0", "A", ",", "!", "中"]


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
