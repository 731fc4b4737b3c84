"""Places of tokens in a text, whatever their bytes spell."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stela_models.tokenizer import load_tokenizer
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

import stela_core as stela
from stela_core.builtin.hashers import KeyedHasher
from stela_core.builtin.plugin import Uniform
from stela_core.builtin.scorers import GroupedScorer
from stela_core.composition import Composition
from stela_core.detection.detector import Detector
from stela_core.text.prefix import decodes_to, token_places
from stela_core.text.token_bytes import TokenBytes

TEXTS = st.text(st.sampled_from([*"ab the  \n", "é", "가", "語", "🙂", "𒀀", "\u0301"]), max_size=40)


@cache
def embedded() -> tuple[Tokenizer, TokenBytes]:
    tokenizer = load_tokenizer(stela.create_registry(), "tiny-small")
    return tokenizer, TokenBytes.of(tokenizer)


def pieces(*, prepends: bool) -> Tokenizer:
    """Of Llama 2's kind, which writes a space first, or of Gemma's, which does not."""
    names = ["<eos>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *"abthe", "th", "the", "▁the", "▁a"]
    vocabulary = {token: index for index, token in enumerate(names)}
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("▁", "a")]
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, byte_fallback=True))
    replaced = normalizers.Replace(" ", "▁")
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), replaced]) if prepends else replaced
    made.decoder = decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)] if prepends else parts)
    made.add_special_tokens(["<eos>"])
    return made


@settings(deadline=None)
@given(text=TEXTS)
def test_places_are_where_the_bytes_say(text: str) -> None:
    """Where the bytes spell the text, the tokenizer's offsets and decoded prefixes say the same."""
    tokenizer, tokens = embedded()
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert decodes_to(text, ids, tokens)
    assert token_places(text, tokenizer) == [*tokens.text_and_ends(ids)[1], len(text)]


@settings(deadline=None)
@given(parts=st.lists(TEXTS, min_size=2, max_size=5))
def test_special_tokens_have_their_own_characters(parts: list[str]) -> None:
    tokenizer, tokens = embedded()
    special = next(t.content for t in tokenizer.get_added_tokens_decoder().values() if t.special)
    text = special.join(parts)
    encoding = tokenizer.encode(text, add_special_tokens=False)
    assert not decodes_to(text, encoding.ids, tokens)
    places = token_places(text, tokenizer)
    assert (places[0], places[-1], len(places)) == (0, len(text), len(encoding.ids) + 1)
    assert places == sorted(places)
    cut = [text[a:b] for a, b in pairwise(places)]
    specials = [piece for piece, index in zip(cut, encoding.ids, strict=True) if index in tokens.special]
    assert specials == [special] * (len(parts) - 1)


def test_a_normaliser_that_shortens_a_text_moves_no_place() -> None:
    letters = {letter: index for index, letter in enumerate("abcé")}
    made = Tokenizer(models.BPE(vocab=letters, merges=[]))
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    made.decoder = decoders.Metaspace(prepend_scheme="never")
    text = "ae\u0301bc"
    assert token_places(text, made) == [0, 1, 3, 4, 5]
    assert token_places("", made) == [0]


@pytest.mark.parametrize("prepends", [True, False])
@pytest.mark.parametrize("text", ["the a", " the", "  a", "a the <eos> the"])
def test_decoding_is_the_tokenizers_own(prepends: bool, text: str) -> None:
    """Llama 2's decoder takes the first space off, Gemma's leaves it."""
    made = pieces(prepends=prepends)
    ids = made.encode(text, add_special_tokens=False).ids
    assert TokenBytes.of(made).decode(ids) == made.decode(ids, skip_special_tokens=True)


@pytest.mark.parametrize("prepends", [True, False])
@pytest.mark.parametrize("text", [" the a the a", "the a<eos> the a the", "<eos><eos> the\u0301 a"])
def test_listed_tokens_spell_the_text_that_was_given(prepends: bool, text: str) -> None:
    tokenizer = pieces(prepends=prepends)
    tokens = TokenBytes.of(tokenizer)
    uniform = Uniform(stela.Parameters())
    hasher = KeyedHasher(KeyedHasher.Parameters(gamma=0.5), 3)
    parts = Composition(hasher, uniform, uniform, GroupedScorer(GroupedScorer.Parameters()), 2.0, 1.0)
    [detection] = Detector(parts, tokenizer, tokens, None, 16, 0.01).detect_many([text])
    laid, ends, unseen = detection.evidence.token_spans()
    seen = [max(0, end - unseen) for end in ends]
    assert laid[unseen:] == text
    assert seen == sorted(seen)
    scored = [text[seen[at] : seen[at + 1]] for at in detection.evidence.positions]
    assert scored
    assert "<eos>" not in scored
    assert "".join(token.text for token in detection.evidence.tokens()) == laid
