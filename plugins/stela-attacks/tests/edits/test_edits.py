"""Worked examples, and properties that hold for every text."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
import stela_run
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_attacks.edits import Delete, Insert, Paste, Swap, Truncate
from stela_models.loaded import Models
from stela_run.words import WORD, Pieces, count_words, join, share_of

import stela_core as stela

from .making import attack

HUMAN = ("One two, three. Four five six!", "Seven eight nine ten.", "十一十二，十三。")
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            ["city", "Don't", "well-known", "42", "도시는", "城", "市，", "e\u0301", "カナ", "."]
        ),
        max_size=30,
    ).map(" ".join),
    st.text(alphabet="ab中 文'-,。\n한", max_size=60),
    st.text(alphabet=st.characters(categories=["Cs", "Lo", "Mn", "Zs"]), max_size=20),
)
SHARES = st.floats(0, 1)


def circumstances(
    registry: stela.Registry, seed: int = 0, human: tuple[str, ...] = HUMAN
) -> stela_run.Circumstances:
    return stela_run.Circumstances("en", seed, [], human, Models(registry))


def words(text: str) -> list[str]:
    return WORD.findall(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's a well-known 3rd one.", ["It's", "a", "well-known", "3rd", "one"]),
        ("도시는 크다. 城市很大，BBC说", ["도시는", "크다", "城", "市", "很", "大", "BBC", "说"]),
        ("cafe\u0301 naïve", ["cafe\u0301", "naïve"]),
        (" -- '' ", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(("share", "count"), [(0, 0), (0.04, 0), (0.05, 1), (0.3, 3), (1, 10)])
def test_share_is_rounded(share: float, count: int) -> None:
    assert share_of(share, 10) == count


@pytest.mark.slow
@settings(deadline=None)
@given(TEXTS)
def test_pieces_are_the_text(text: str) -> None:
    pieces = Pieces.of(text)
    assert join(*pieces) == text
    assert len(pieces.gaps) == len(pieces.words) + 1


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(word in rest for word in short)


@settings(deadline=None)
@given(TEXTS, SHARES, st.integers(0, 9))
def test_delete_leaves_out_the_share(registry: stela.Registry, text: str, share: float, seed: int) -> None:
    [changed] = attack(Delete, share=share).apply([text], circumstances(registry, seed))
    assert len(words(changed)) == len(words(text)) - share_of(share, len(words(text)))
    assert _is_subsequence(words(changed), words(text))


@settings(deadline=None)
@given(TEXTS, SHARES, st.integers(0, 9))
def test_insert_adds_the_share(registry: stela.Registry, text: str, share: float, seed: int) -> None:
    [changed] = attack(Insert, share=share).apply([text], circumstances(registry, seed))
    assert len(words(changed)) == len(words(text)) + share_of(share, len(words(text)))
    assert _is_subsequence(words(text), words(changed))
    added = Counter(words(changed)) - Counter(words(text))
    assert set(added) <= {word for human in HUMAN for word in words(human)}


@settings(deadline=None)
@given(TEXTS, SHARES, st.integers(0, 9))
def test_swap_keeps_the_words(registry: stela.Registry, text: str, share: float, seed: int) -> None:
    [changed] = attack(Swap, share=share).apply([text], circumstances(registry, seed))
    before, after = words(text), words(changed)
    assert Counter(before) == Counter(after)
    moved = sum(old != new for old, new in zip(before, after, strict=True))
    assert moved <= 2 * min(share_of(share / 2, len(before)), len(before) // 2)


@settings(deadline=None)
@given(st.integers(2, 60), SHARES)
def test_swap_moves_the_share_of_different_words(registry: stela.Registry, count: int, share: float) -> None:
    before = [f"w{number}" for number in range(count)]
    [changed] = attack(Swap, share=share).apply([" ".join(before)], circumstances(registry))
    moved = sum(old != new for old, new in zip(before, changed.split(), strict=True))
    assert moved == 2 * min(share_of(share / 2, count), count // 2)


@settings(deadline=None)
@given(TEXTS, st.floats(0.01, 1), st.sampled_from(["start", "middle", "end"]))
def test_truncate_keeps_one_part(registry: stela.Registry, text: str, share: float, keep: str) -> None:
    [changed] = attack(Truncate, share=share, keep=keep).apply([text], circumstances(registry))
    assert changed in text
    count = len(words(text))
    assert len(words(changed)) == min(max(share_of(share, count), 1), count)


@settings(deadline=None)
@given(TEXTS, st.floats(0.05, 1), st.integers(1, 5), st.integers(0, 9))
def test_paste_keeps_all_words_at_the_share(
    registry: stela.Registry, text: str, share: float, passages: int, seed: int
) -> None:
    [changed] = attack(Paste, share=share, passages=passages).apply([text], circumstances(registry, seed))
    count = len(words(text))
    assert len(words(changed)) == count + share_of((1 - share) / share, count)
    assert _is_subsequence(words(text), words(changed))


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 9))
def test_paste_makes_the_passages(registry: stela.Registry, count: int, passages: int, seed: int) -> None:
    marked = [f"m{number}" for number in range(count)]
    human = (" ".join(f"h{number}" for number in range(500)),)
    made = attack(Paste, share=0.25, passages=passages)
    [changed] = made.apply([" ".join(marked)], circumstances(registry, seed, human))
    assert changed.split().count("m0") == 1
    assert [word for word in changed.split() if word in marked] == marked
    assert [word for word in changed.split() if word not in marked] == human[0].split()[: 3 * count]
    starts = sum(new in marked and old not in marked for old, new in pairwise(["", *changed.split()]))
    assert starts == min(passages, count)


@pytest.mark.parametrize("kind", [Delete, Insert, Swap, Truncate, Paste])
@pytest.mark.parametrize("text", ["", " ", "...", "\n\ud800"])
def test_texts_without_words_stay(registry: stela.Registry, kind: type[stela_run.Attack], text: str) -> None:
    assert attack(kind, share=0.5).apply([text], circumstances(registry)) == [text]


@pytest.mark.parametrize(
    ("text", "gone", "expected"),
    [
        ("One two, three.", ["two"], "One, three."),
        ("One two, three.", ["One"], "two, three."),
        ("One two, three.", ["three"], "One two,."),
        ("(One) two", ["One"], "() two"),
        ("说BBC和CNN", ["和"], "说BBC CNN"),
        ("城市很大，人多。", ["很", "人"], "城市大，多。"),
    ],
)
def test_delete_closes_the_gap(
    registry: stela.Registry, text: str, gone: list[str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fixed:
        """Draws what the example asks for."""

        def choice(self, count: int, size: int, replace: bool) -> Any:
            return self

        def tolist(self) -> list[int]:
            return [words(text).index(word) for word in gone]

    made = attack(Delete, share=len(gone) / len(words(text)))
    assert made.change(text, Fixed(), circumstances(registry)) == expected  # type: ignore[attr-defined]


def test_truncate_by_hand(registry: stela.Registry) -> None:
    text = '"One two, three four." Five!'
    kept = {
        keep: attack(Truncate, share=0.4, keep=keep).apply([text], circumstances(registry))[0]
        for keep in ("start", "middle", "end")
    }
    assert kept == {"start": '"One two', "middle": "two, three", "end": 'four." Five!'}


def test_pasted_chinese_has_no_spaces(registry: stela.Registry) -> None:
    made = attack(Paste, share=0.5).apply(
        ["城市很大。"], circumstances(registry, human=("人很多，路很长。",))
    )
    assert " " not in made[0]
    assert "城市很大。" in made[0]
    assert count_words(made[0]) == 8


def test_human_text_goes_round(registry: stela.Registry) -> None:
    [changed] = attack(Paste, share=0.1).apply(["a b"], circumstances(registry, human=("x y z", "...")))
    assert [word for word in changed.split() if word in "xyz"] == ["x", "y", "z"] * 6


def test_insert_without_human_text_takes_its_own_words(registry: stela.Registry) -> None:
    [changed] = attack(Insert, share=1.0).apply(["only these"], circumstances(registry, human=()))
    assert len(changed.split()) == 4
    assert set(changed.split()) == {"only", "these"}


def test_paste_without_human_text_says_so(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match="needs human text") as raised:
        attack(Paste).apply(["a b"], circumstances(registry, human=("", "...")))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Delete, {"share": 1.5}),
        (Swap, {"share": -0.1}),
        (Truncate, {"share": 0}),
        (Truncate, {"keep": "last"}),
        (Paste, {"share": 0}),
        (Paste, {"passages": 0}),
        (Insert, {"shares": 0.1}),
    ],
)
def test_wrong_parameters(kind: type[stela_run.Attack], wrong: dict[str, Any]) -> None:
    with pytest.raises(stela.StelaError, match=kind.name):
        attack(kind, **wrong)


def test_registered(registry: stela.Registry) -> None:
    assert {"edits-delete", "edits-insert", "edits-swap", "edits-truncate", "edits-paste"} <= set(
        registry.names(stela_run.Attack)
    )
