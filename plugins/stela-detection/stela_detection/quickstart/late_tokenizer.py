"""A large tokenizer that is read when it is needed: short texts are cut by the part of it that they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from tokenizers import AddedToken, Encoding, Tokenizer, decoders, models, pre_tokenizers

from stela_detection.quickstart.token_index import TokenIndex

MOST = 100_000
"""Characters that are cut by parts: beyond, reading the whole is cheaper."""


class LateTokenizer:
    """What a ``tokenizers.Tokenizer`` gives, to the same ids.

    Args:
        index: of the tokenizer.
        read: reads it from its file.
    """

    def __init__(self, index: TokenIndex, read: Callable[[], Tokenizer]) -> None:
        self._index = index
        self._read = read
        self._left = MOST
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[LateTokenizer], tuple[TokenIndex, Callable[[], Tokenizer]]]:
        return LateTokenizer, (self._index, self._read)

    @cached_property
    def whole(self) -> Tokenizer:
        """The tokenizer itself."""
        self._left = 0
        return self._read()

    @cached_property
    def _frame(self) -> Tokenizer:
        """All of it but the model: its own holds the added tokens."""
        return Tokenizer.from_buffer(self._index.frame)

    @cached_property
    def _added(self) -> dict[int, AddedToken]:
        return self._frame.get_added_tokens_decoder()

    @property
    def decoder(self) -> decoders.Decoder | None:
        """The decoder, as the library gives it."""
        decoder: decoders.Decoder | None = self._frame.decoder
        return decoder

    def get_added_tokens_decoder(self) -> dict[int, AddedToken]:
        """The added tokens by id, as the library gives them."""
        return self._added

    def id_to_token(self, index: int) -> str | None:
        """The token of an id as text, as the library gives it."""
        if index not in self._added:
            return self._index.token(index)
        token: str | None = self._frame.id_to_token(index)  # as its normalizer writes it
        return token

    def encode(self, text: str, *, add_special_tokens: bool) -> Encoding:
        """The encoding of a text, as the library gives it."""
        encoding: Encoding = self._by_part(
            [text], lambda by: by.encode(text, add_special_tokens=add_special_tokens)
        )
        return encoding

    def encode_batch_fast(self, texts: Sequence[str], *, add_special_tokens: bool) -> list[Encoding]:
        """The encodings of texts, as the library gives them."""
        listed = list(texts)
        encodings: list[Encoding] = self._by_part(
            listed, lambda by: by.encode_batch_fast(listed, add_special_tokens=add_special_tokens)
        )
        return encodings

    def _by_part(self, texts: list[str], encode: Callable[[Tokenizer], Any]) -> Any:
        self._left -= sum(map(len, texts))
        if self._left >= 0:
            with self._lock:
                model = self._index.model_for(self._words_of(texts))
                if model is not None:
                    self._frame.model = model
                    return encode(self._frame)
        return encode(self.whole)

    def _words_of(self, texts: list[str]) -> set[str]:
        """What the model is given of texts: all steps before it are taken."""
        frame, words = self._frame, _Words()
        before = frame.pre_tokenizer
        last = pre_tokenizers.PreTokenizer.custom(words)
        frame.pre_tokenizer = last if before is None else pre_tokenizers.Sequence([before, last])
        frame.model = models.BPE()
        try:
            for text in texts:
                frame.encode(text, add_special_tokens=False)
        finally:
            frame.pre_tokenizer = before
        return words.seen


class _Words:
    """The last step before the model: looks at what there is."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def pre_tokenize(self, text: Any) -> None:
        """Note the words of the library's ``PreTokenizedString``; added tokens in it have tokens already."""
        self.seen.update(piece for piece, _, tokens in text.get_splits() if tokens is None)
