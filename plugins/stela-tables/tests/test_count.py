from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from stela_corpora.pieces import PIECE
from stela_tables import count as count_module
from stela_tables.count import Piece, Tally, count_shard, shards_of

import stela_core as stela
from stela_core.registry.tagger_spec import make_tagger
from tests.tiers import examples

from .ngrams import count

KS = (1, 2, 4)


def count_documents(tagger: stela.Tagger, ks: tuple[int, ...], texts: list[str]) -> Tally:
    """Shard by shard, as a build does."""
    total = Tally()
    for shard in shards_of(texts):
        total.add(count_shard(tagger, ks, shard))
    return total


WORDS = st.lists(st.sampled_from(["ab", "ba", "c.", "d\n", "한국"]), max_size=60)


def tags_of(text: str) -> list[str]:
    """The tags of plain_tagger.py, worked out anew: first letters of words, and full stops."""
    found = []
    for word in text.split():
        found += [word[0], *("." for c in word if c == ".")]
    return found


@examples(50)
@given(st.lists(WORDS, min_size=1, max_size=5))
def test_as_counted_by_hand(letters: stela.Registry, documents: list[list[str]]) -> None:
    texts = [" ".join(words) for words in documents]
    tally = count_documents(make_tagger(letters, "letters"), KS, texts)
    for k in KS:
        expected = count([tags_of(text) for text in texts], k)
        assert (tally.documents, tally.tags, tally.counts[k]) == expected


def test_across_sentences_but_not_documents(letters: stela.Registry) -> None:
    tally = count_documents(make_tagger(letters, "letters"), (2,), ["a b. c", "d e"])
    assert set(tally.counts[2]) == {("a", "b"), ("b", "."), (".", "c"), ("d", "e")}


def test_pieces_of_a_long_document_count_as_the_whole(letters: stela.Registry, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    text = "ab ba c. d\n한국 " * (PIECE // 4)
    assert len(text) > 3 * PIECE
    tagger = make_tagger(letters, "letters")
    expected = Counter(zip(*(tags_of(text)[i:] for i in range(4)), strict=False))
    for shard in (count_module.SHARD, 1):  # one batch of pieces, and a batch for each
        monkeypatch.setattr(count_module, "SHARD", shard)
        tally = count_documents(tagger, (4,), ["x y", text, "z"])
        assert tally.counts[4] == expected
        assert tally.tags == len(tags_of(text)) + 3


def test_shards_do_not_lose_documents(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(count_module, "SHARD", 10)
    texts = ["aaaa", "", "bbbbbbbbbbbbbbbb", "c", "", ""]
    shards = list(shards_of(texts))
    assert [piece for shard in shards for piece in shard] == [Piece(text, True) for text in texts]
    assert [len(shard) for shard in shards] == [3, 3]
    assert list(shards_of([])) == []


def test_shards_of_a_long_document_are_bounded() -> None:
    text = "ab cd. " * 100_000
    shards = list(shards_of(["x", text, "y"]))
    pieces = [piece for shard in shards for piece in shard]
    assert "".join(piece.text for piece in pieces) == f"x{text}y"
    assert [n for n, piece in enumerate(pieces) if piece.first] == [0, 1, len(pieces) - 1]
    assert max(sum(len(piece.text) for piece in shard) for shard in shards) <= count_module.SHARD + PIECE


CUT = st.lists(st.lists(st.sampled_from(["a", "b ", "a b c ", " ", ""]), min_size=1, max_size=6), max_size=6)


@given(
    CUT, st.lists(st.integers(1, 4), min_size=1, max_size=40), st.sampled_from([(1,), (2,), (1, 3), (4, 2)])
)
def test_cuts_between_shards_change_nothing(
    letters: stela.Registry, documents: list[list[str]], sizes: list[int], ks: tuple[int, ...]
) -> None:
    """Documents in pieces of no, one or several tags, the pieces in shards of any sizes."""
    pieces = [Piece(text, not n) for document in documents for n, text in enumerate(document)]
    tagger = make_tagger(letters, "letters")
    total = Tally()
    for size in sizes:
        shard, pieces = pieces[:size], pieces[size:]
        total.add(count_shard(tagger, ks, shard))
    total.add(count_shard(tagger, ks, pieces))
    # Pieces are tagged on their own, so a document's tags are those of its pieces in turn.
    tags = [[tag for text in document for tag in tags_of(text)] for document in documents]
    for k in ks:
        assert (total.documents, total.tags, total.counts[k]) == count(tags, k)
