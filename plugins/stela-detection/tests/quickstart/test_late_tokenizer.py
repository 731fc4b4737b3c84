"""A part of a tokenizer cuts a text as the whole does: ids, tokens and places."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_detection.quickstart import token_index
from stela_detection.quickstart.index_building import MAX_LENGTH, index_of
from stela_detection.quickstart.late_tokenizer import MOST, LateTokenizer
from stela_detection.quickstart.token_index import TokenIndex
from stela_models.tokenizer import load_tokenizer
from stela_testing.texts import ENGLISH, KOREAN
from tokenizers import AddedToken, Encoding, Tokenizer, models, normalizers, pre_tokenizers

import stela_core as stela
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import canonical_with_content, read_checked
from tests.safety import honest
from tests.tiers import examples

SPLIT = r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def never() -> Tokenizer:
    raise AssertionError("the whole tokenizer was read")


def late(made: Tokenizer, read: Callable[[], Tokenizer] = never) -> LateTokenizer:
    data, content = canonical_with_content(made)
    index = index_of(content, read_checked(data, "here"))
    assert index is not None
    return LateTokenizer(TokenIndex(index), read)


def whole_words() -> Tokenizer:
    """As Llama 3's: a word that is a token is not merged; tokens added behind the vocabulary."""
    content = json.loads(honest.byte_level_split(SPLIT).to_str())
    content["model"]["ignore_merges"] = True
    made = Tokenizer.from_str(json.dumps(content))
    made.add_special_tokens(["<|begin|>", "<|end|>"])
    made.add_tokens([AddedToken("city ", lstrip=True), AddedToken("QQ", single_word=True, normalized=False)])
    return made


def unknown() -> Tokenizer:
    """No bytes for what it does not know, and two tokens that are added with what they take away."""
    vocabulary = {"<unk>": 5, "▁": 0, "t": 9, "h": 2, "e": 3, "th": 4, "▁th": 11, "▁the": 7, "he": 1}
    merges = [("h", "e"), ("t", "h"), ("▁", "th"), ("▁th", "e")]
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "▁")])
    made.add_tokens([AddedToken("Te", normalized=True), AddedToken("hh", lstrip=True, rstrip=True)])
    return made


MADE: dict[str, Callable[[], Tokenizer]] = {
    "byte-level": honest.byte_level,
    "whole words": whole_words,
    "pieces": honest.sentencepiece,
    "unknown": unknown,
    "tiny": lambda: load_tokenizer(stela.create_registry(), "tiny"),
}


@cache
def both(name: str) -> tuple[Tokenizer, LateTokenizer]:
    made = MADE[name]()
    return made, late(made)


def parts(encoding: Encoding) -> tuple[Any, ...]:
    return encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids


def require_equal(made: Tokenizer, by_part: LateTokenizer, texts: list[str]) -> None:
    by_part._left = 10**9
    for text in texts:
        for special in (False, True):
            expected = made.encode(text, add_special_tokens=special)
            assert parts(by_part.encode(text, add_special_tokens=special)) == parts(expected)
    together = by_part.encode_batch_fast(texts, add_special_tokens=False)
    by_whole = made.encode_batch_fast(texts, add_special_tokens=False)
    assert [encoding.ids for encoding in together] == [encoding.ids for encoding in by_whole]


PROSE = st.text("the ▁THEcityQ\n\tαé안녕🙂<|end|>0x1A.,'" + KOREAN[:40]) | st.text(max_size=30)
PIECES = [
    "The history",
    " of the city ",
    "QQ",
    "<|end|>",
    "<end>",
    "<0xE2>",
    "Te",
    "hh",
    "  ",
    KOREAN[:30],
    "\n\n",
]
TEXT = st.lists(PROSE | st.sampled_from(PIECES), max_size=6).map("".join)


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE)
@examples(60)
@given(texts=st.lists(TEXT, max_size=3))
def test_cut_as_by_the_whole(name: str, texts: list[str]) -> None:
    require_equal(*both(name), texts)


@pytest.mark.parametrize("name", MADE)
def test_cuts_prose_and_has_the_same_tokens(name: str) -> None:
    made, by_part = both(name)
    require_equal(made, by_part, [ENGLISH, KOREAN, ENGLISH + KOREAN, "", " "])
    ids = range(-1, made.get_vocab_size() + 300)
    assert [by_part.id_to_token(i) for i in ids[1:]] == [made.id_to_token(i) for i in ids[1:]]
    assert by_part.id_to_token(-1) is None
    if name != "unknown":  # has no decoder
        size = len(TokenBytes.of(made))
        known, later = (TokenBytes.of_known_size(each, size) for each in (made, by_part))
        assert [known[i] for i in ids] == [later[i] for i in ids]
        assert known.special == later.special


@st.composite
def merging(draw: st.DrawFn) -> Tokenizer:
    """Some merges over three letters, in any order, ids too; some letters are not tokens."""
    tokens = draw(st.lists(st.sampled_from("abc"), min_size=1, unique=True))
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 25))):
        pair = draw(st.sampled_from(tokens)), draw(st.sampled_from(tokens))
        if pair not in merges and len(pair[0] + pair[1]) < 9:
            merges.append(pair)
            tokens += [pair[0] + pair[1]] if pair[0] + pair[1] not in tokens else []
    merges = draw(st.permutations(merges))
    numbers = draw(st.permutations(range(len(tokens))))
    vocabulary = dict(zip(tokens, numbers, strict=True))
    choices: dict[str, Any] = {"ignore_merges": draw(st.booleans())}
    if draw(st.booleans()):
        vocabulary["?"] = len(tokens)
        choices |= {"unk_token": "?", "fuse_unk": draw(st.booleans())}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, **choices))
    if draw(st.booleans()):
        made.pre_tokenizer = pre_tokenizers.Whitespace()
    added = st.builds(
        AddedToken,
        st.text("abc ", min_size=1, max_size=4),
        single_word=st.booleans(),
        lstrip=st.booleans(),
        rstrip=st.booleans(),
        normalized=st.booleans(),
        special=st.booleans(),
    )
    made.add_tokens(draw(st.lists(added, max_size=2)))
    return made


@pytest.mark.slow
@examples(200)
@given(made=merging(), texts=st.lists(st.text("abc d", max_size=40), max_size=3))
def test_any_merges(made: Tokenizer, texts: list[str]) -> None:
    require_equal(made, late(made, lambda: made), texts)


def test_a_character_that_is_left_out() -> None:
    """It is not a token, and what stands beside it is merged."""
    made = Tokenizer(models.BPE(vocab={"a": 0, "aa": 1}, merges=[("a", "a")]))
    require_equal(made, late(made, lambda: made), ["a a", "aa"])
    assert made.encode("a a").ids == [1]


def test_much_text_is_cut_by_the_whole() -> None:
    made = MADE["pieces"]()
    by_part = late(made, lambda: made)
    by_part.encode("The city", add_special_tokens=False)
    assert "whole" not in vars(by_part)
    texts = [ENGLISH * (MOST // len(ENGLISH) + 1), "The city"]
    ids = [encoding.ids for encoding in by_part.encode_batch_fast(texts, add_special_tokens=False)]
    assert vars(by_part)["whole"] is made
    assert ids == [encoding.ids for encoding in made.encode_batch_fast(texts, add_special_tokens=False)]


def test_another_piece_with_the_hash_of_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_index, "FACTOR", np.uint64(3))
    made = Tokenizer(models.BPE(vocab={"a": 0, "b": 1, "ab": 2}, merges=[("a", "b")]))
    by_part = late(made, lambda: made)
    other = chr(ord("a") - 1) + chr(ord("b") + 3)
    for text, whole in (("abab", False), (f"ab{other}", True)):
        expected = made.encode(text, add_special_tokens=False)
        assert parts(by_part.encode(text, add_special_tokens=False)) == parts(expected)
        assert ("whole" in vars(by_part)) == whole
    assert refused(Tokenizer(models.BPE(vocab={"ab": 0, other: 1}, merges=[])))


def refused(made: Tokenizer) -> bool:
    return index_of(json.loads(made.to_str()), made) is None


def test_what_an_index_would_not_do_for() -> None:
    assert refused(honest.unigram())
    vocabulary = {"a": 0, "<0x41>": 1, "a<0x41>": 2, "b" * (MAX_LENGTH + 1): 3}
    short = {token: index for token, index in vocabulary.items() if index < 3}
    merges = [("a", "<0x41>")]
    assert refused(Tokenizer(models.BPE(vocab=vocabulary, merges=[])))
    assert refused(Tokenizer(models.BPE(vocab=short, merges=merges, byte_fallback=True)))
    assert refused(Tokenizer(models.BPE(vocab=short, merges=merges, unk_token="a")))
    assert refused(Tokenizer(models.BPE(vocab=short, merges=merges, dropout=0.5)))
    assert not refused(Tokenizer(models.BPE(vocab=short, merges=merges)))


def test_goes_to_another_process() -> None:
    made = MADE["pieces"]()
    there = pickle.loads(pickle.dumps(late(made, read=honest.sentencepiece)))
    assert parts(there.encode("The city", add_special_tokens=False)) == parts(
        made.encode("The city", add_special_tokens=False)
    )
