from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_metrics.fidelity.spans import Span, lost_share, spans_of

from stela_core.api import TokenBytes

EURO = "€".encode()  # three bytes
TABLE = [b"un", b"do", b"undo", b" it", b" ", b"it", EURO[:1], EURO[1:2], EURO[2:], EURO]
TOKENS = TokenBytes(TABLE, frozenset())
UN, DO, UNDO, _IT, SPACE, IT, E1, E2, E3, E = range(10)


def test_spans() -> None:
    assert spans_of([UNDO, _IT], TOKENS) == [Span(UNDO, 0, 4), Span(_IT, 4, 7)]
    assert spans_of([UN, E1, E2, E3, IT], TOKENS) == [
        Span(UN, 0, 2),
        Span(E1, 2, 2),
        Span(E2, 2, 2),
        Span(E3, 2, 3),
        Span(IT, 3, 5),
    ]
    assert spans_of([], TOKENS) == []


@pytest.mark.parametrize(
    ("generated", "encoded", "length", "lost"),
    [
        ([UN, DO, _IT], [UN, DO, _IT], 3, 0),
        ([UN, DO, _IT], [UNDO, _IT], 3, 2 / 3),
        ([UN, DO, _IT], [UNDO, _IT], 2, 1),
        ([UNDO, _IT, UN, DO], [UNDO, _IT, UNDO], 2, 0),
        ([UNDO, SPACE, IT], [UNDO, _IT], 9, 2 / 3),
        ([E1, E2, E3, UN], [E, UN], 4, 3 / 4),
        # The same id elsewhere in the text is another token.
        ([UN, DO, DO], [UNDO, DO], 3, 2 / 3),
    ],
)
def test_lost_share_by_hand(generated: list[int], encoded: list[int], length: int, lost: float) -> None:
    assert lost_share(generated, encoded, TOKENS, length) == pytest.approx(lost)


ids = st.lists(st.integers(0, len(TABLE) - 1), min_size=1, max_size=12)


@given(ids, st.integers(1, 15))
def test_nothing_is_lost_of_the_same_ids(generated: list[int], length: int) -> None:
    assert lost_share(generated, generated, TOKENS, length) == 0


@given(ids, ids, st.integers(1, 15))
def test_a_share(generated: list[int], encoded: list[int], length: int) -> None:
    assert 0 <= lost_share(generated, encoded, TOKENS, length) <= 1
