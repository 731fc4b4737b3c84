"""The fast ways to a prefix's text against the plain definition, on arbitrary bytes."""

from hypothesis import given
from hypothesis import strategies as st
from stela_testing.texts import text_of

from stela_core.text.prefix import GrowingTail, tail_of, tails_before_each
from stela_core.text.token_bytes import TokenBytes

# One token per byte, one multi-byte token, and one special token without bytes.
TABLE = [bytes([b]) for b in range(256)] + ["한".encode()[:2], " 가".encode(), b"the ", b""]
TOKENS = TokenBytes(TABLE, frozenset({259}))
CONTINUATION = st.integers(0x80, 0xBF)
IDS = st.lists(
    st.one_of(st.integers(0, 259), CONTINUATION, st.sampled_from([0xEA, 0xB0, 0x80, 32])), max_size=80
)


@given(IDS, st.integers(1, 12))
def test_tail_is_the_tail_of_the_text(ids: list[int], characters: int) -> None:
    assert tail_of(ids, TOKENS, characters) == text_of(ids, TOKENS)[-characters:]


@given(IDS, st.integers(1, 12))
def test_tails_of_all_positions_are_those_of_each(ids: list[int], characters: int) -> None:
    found = tails_before_each(ids, TOKENS, characters)
    assert found == [tail_of(ids[:t], TOKENS, characters) for t in range(len(ids))]


@given(IDS, IDS, st.integers(1, 12))
def test_a_tail_that_grows_is_that_of_the_ids_so_far(
    begun: list[int], ids: list[int], characters: int
) -> None:
    """Byte by byte, through halves of characters; a copy goes its own way."""
    tail = GrowingTail(characters, b"".join(TOKENS[index] for index in begun))
    for number, index in enumerate(ids):
        assert tail.text == tail_of([*begun, *ids[:number]], TOKENS, characters)
        other = tail.copy()
        other.append(TOKENS[0xB0])
        assert other.text == tail_of([*begun, *ids[:number], 0xB0], TOKENS, characters)
        tail.append(TOKENS[index])
    assert tail.text == tail_of([*begun, *ids], TOKENS, characters)


@given(IDS)
def test_prefix_ends_give_the_text_of_every_prefix(ids: list[int]) -> None:
    text, ends = TOKENS.text_and_ends(ids)
    assert text == text_of(ids, TOKENS)
    assert [text[:end] for end in ends] == [text_of(ids[:t], TOKENS) for t in range(len(ids))]


def test_incomplete_character_is_dropped_and_a_broken_one_replaced() -> None:
    cut = list("가".encode())
    assert text_of([*b"a", *cut[:2]], TOKENS) == "a"
    assert text_of([*b"a", *cut], TOKENS) == "a가"
    assert text_of([*b"a", *cut[:2], *b"b"], TOKENS) == "a\ufffdb"


def test_tail_reads_only_what_it_needs() -> None:
    class Counting(TokenBytes):
        reads = 0

        def __getitem__(self, index: int) -> bytes:
            Counting.reads += 1
            return super().__getitem__(index)

    tokens = Counting(TABLE, frozenset({259}))
    assert tail_of([97] * 100_000, tokens, 20) == "a" * 20
    assert Counting.reads <= 20 * 4 + 1
