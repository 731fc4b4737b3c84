from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

import stela_core as stela
from stela_core.tables import count as count_module
from stela_core.tables.count import count_documents, shards_of
from stela_core.tables.pieces import PIECE
from stela_core.tables.tagger_spec import make_tagger
from tests.tables.ngrams import count

KS = (1, 2, 4)
WORDS = st.lists(st.sampled_from(["ab", "ba", "c.", "d\n", "한국"]), max_size=60)


def tags_of(text: str) -> list[str]:
    """The tags of plain_tagger.py, worked out anew: first letters of words, and full stops."""
    found = []
    for word in text.split():
        found += [word[0], *("." for c in word if c == ".")]
    return found


@settings(max_examples=50, deadline=None)
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
    assert [text for shard in shards for text in shard] == texts
    assert [len(shard) for shard in shards] == [3, 3]
    assert list(shards_of([])) == []
