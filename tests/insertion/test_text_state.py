"""The state of a text that grows against all of its ids: hash contexts of every kind of hasher."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stela_core as stela
from stela_core.insertion.rows import IdRows, StateRows
from stela_core.insertion.text_state import ROOM, TextNeeds, TextState
from stela_core.interfaces import ContextParameters
from stela_core.text.token_bytes import TokenBytes

TOKENS = TokenBytes([bytes([b]) for b in range(256)], frozenset())


class Bare(stela.GreenList[ContextParameters]):
    """Contexts as they may be: padded, marked once, up to so many, or of a kind of their own."""

    name = "any"
    Parameters = ContextParameters
    own = False
    once = False
    most: int | None = None

    @property
    def first_only(self) -> bool:
        return self.once

    @property
    def most_contexts(self) -> int | None:
        return self.most

    def seeds(self, contexts: Any) -> Any:
        return contexts.sum(axis=1).astype(np.uint64)

    def green(self, seeds: Any, tokens: Any) -> Any:
        return (seeds + tokens.astype(np.uint64)) % np.uint64(2) == 0


class Own(Bare):
    """The first id, and the place modulo 5, as a mark by a key sequence has them."""

    def contexts(self, ids: Any, positions: Any) -> Any:
        first = int(ids[0]) if len(ids) else 0
        return np.stack([np.full(len(positions), first), positions % 5], axis=1).astype(np.int64)


def hasher_of(width: int, padding: int | None, once: bool, most: int | None, own: bool) -> Bare:
    made = (Own if own else Bare)(ContextParameters(context_width=width), 1)
    made.padding, made.once, made.most = padding, once, most  # type: ignore[misc]
    return made


class Nothing(stela.Weighting):
    name = "nothing"

    def weights(self, positions: stela.Positions) -> Any:
        return np.ones(positions.count)


hashers = st.builds(
    hasher_of,
    st.integers(0, 4),
    st.sampled_from([None, 0, -1]),
    st.booleans(),
    st.sampled_from([None, 0, 1, 3]),
    st.booleans(),
)
few_ids = st.lists(st.integers(0, 2), max_size=40)


def needs_of(hasher: stela.Hasher[Any], least: int = 0) -> TextNeeds:
    return TextNeeds(hasher, Nothing(Nothing.Parameters()), TOKENS, None, least)


@given(hashers, few_ids, st.integers(0, 40), st.integers(0, 8))
def test_contexts_are_those_of_all_ids(hasher: Bare, ids: list[int], begun: int, least: int) -> None:
    """After each token, wherever the text was taken up."""
    needs = needs_of(hasher, least)
    text = TextState(needs, ids[:begun])
    for length in range(min(begun, len(ids)), len(ids) + 1):
        for rows in ([ids[:length]], np.array([ids[:length]], dtype=np.int64)):
            assert StateRows([text]).next_contexts() == IdRows(needs, rows).next_contexts()
        assert StateRows([text]).ends() == [ids[:length][-needs.last_count :] if needs.last_count else []]
        if length < len(ids):
            text.append(ids[length])


@given(hashers, few_ids, few_ids, few_ids)
def test_a_copy_goes_its_own_way(hasher: Bare, ids: list[int], one: list[int], two: list[int]) -> None:
    """As beams that branch."""
    needs = needs_of(hasher)
    text = TextState(needs, ids)
    other = text.copy()
    for state, more in ((text, one), (other, two)):
        for token in more:
            state.append(token)
    for state, more in ((text, one), (other, two)):
        assert StateRows([state]).next_contexts() == IdRows(needs, [[*ids, *more]]).next_contexts()


def test_a_long_text_keeps_little_and_reads_each_token_once() -> None:
    """But for the set of contexts, where each is marked once."""

    class Counting(TokenBytes):
        reads = 0

        def __getitem__(self, index: int) -> bytes:
            Counting.reads += 1
            return super().__getitem__(index)

    class Reads(Nothing):
        needs = frozenset({"text"})

    tokens = Counting([bytes([b]) for b in range(256)], frozenset())
    needs = TextNeeds(hasher_of(2, None, True, None, False), Reads(Reads.Parameters()), tokens, None)
    text = TextState(needs)
    for number in range(20_000):
        text.append(number % 251)
    assert Counting.reads == 20_000
    assert len(text.last) < 30
    assert text.tail is not None
    assert len(text.tail.text) == 64
    assert text.all_ids is None
    assert text.seen is not None
    assert len(text.seen) == 251


def test_contexts_of_its_own_kind_have_all_ids() -> None:
    text = TextState(needs_of(hasher_of(1, None, True, None, True)), [7])
    for number in range(3 * ROOM):
        text.append(number % 3)
    assert text.all_ids is not None
    assert text.all_ids[: text.length].tolist() == [7, *(n % 3 for n in range(3 * ROOM))]


@pytest.mark.parametrize("ids", [[3, -1], [-1, 3]])
def test_placeholders_are_refused(ids: list[int]) -> None:
    needs = needs_of(hasher_of(1, None, False, None, False))
    with pytest.raises(stela.StelaError, match="id -1 is not a token"):
        TextState(needs, ids)
    with pytest.raises(stela.StelaError, match="id -1 is not a token"):
        TextState(needs).append(-1)
