import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from stela_core.errors import StelaError
from stela_core.text.token_bytes import BYTE_OF, TokenBytes


def test_alphabet_is_a_permutation_of_all_bytes() -> None:
    assert sorted(BYTE_OF.values()) == list(range(256))
    # Printable ASCII stands for itself, a space is written as G with a dot (GPT-2's bytes_to_unicode).
    assert BYTE_OF["a"] == ord("a")
    assert BYTE_OF["Ġ"] == ord(" ")
    assert set(BYTE_OF) == set(pre_tokenizers.ByteLevel.alphabet())


@given(st.text(max_size=60))
def test_bytes_of_encoded_text_are_the_text(tokenizer: Tokenizer, token_bytes: TokenBytes, text: str) -> None:
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    assert b"".join(token_bytes[i] for i in ids) == text.encode()
    assert token_bytes.decode(ids) == text


def test_special_and_unknown_ids_are_no_text(token_bytes: TokenBytes) -> None:
    assert token_bytes.special == {0, 1}
    assert token_bytes[0] == b""
    assert token_bytes[10**6] == b""
    assert token_bytes[-1] == b""
    assert not token_bytes.is_text(0)
    assert not token_bytes.is_text(len(token_bytes))
    assert token_bytes.is_text(len(token_bytes) - 1)


def test_pieces_of_sentencepiece_with_byte_fallback() -> None:
    vocabulary = {"<unk>": 0, "▁the": 1, "re": 2, "<0xEA>": 3, "<0xB0>": 4, "<0x80>": 5}
    made = Tokenizer(models.BPE(vocab=vocabulary, merges=[], byte_fallback=True, unk_token="<unk>"))
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    found = TokenBytes.of(made)
    ids = [1, 2, 3, 4, 5]
    assert found.decode(ids) == "there가" == made.decode(ids)
    assert found[1] == b" the"


def test_unknown_decoder_is_refused_by_name() -> None:
    made = Tokenizer(models.WordPiece(vocab={"a": 0}, unk_token="a"))
    made.decoder = decoders.WordPiece()
    with pytest.raises(StelaError, match="WordPiece"):
        TokenBytes.of(made)
