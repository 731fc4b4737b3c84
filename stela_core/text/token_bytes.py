"""Token ids to the bytes they stand for, so that any prefix of ids has one well-defined text."""

from __future__ import annotations

import codecs
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import AddedToken, Tokenizer

from stela_core.errors import StelaError
from stela_core.text.tokenizer import AnyTokenizer, tokenizer_errors
from stela_core.text.tokenizer_form import SPARE_IDS

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
WORD_START = "▁"
UNREADABLE = "the tokenizer's vocabulary cannot be read"


class TokenBytes:
    """The bytes of every token id, read off a tokenizer's vocabulary.

    Byte-level BPE (GPT-2, Llama 3, Qwen) and SentencePiece with byte fallback (Llama 2, Gemma,
    Mistral) are covered; special tokens have no bytes. Unlike decoding token by token, joining these
    bytes gives the exact text also where a character is spread over several tokens.
    """

    def __init__(
        self, table: Sequence[bytes], special: frozenset[int], strips_first_space: bool = False
    ) -> None:
        self._table: list[bytes] | dict[int, bytes] = list(table)
        self._strips_first_space = strips_first_space
        self._size = len(self._table)
        self.special = special
        """Ids of special tokens: they are not text."""

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> TokenBytes:
        """Bytes of a ``tokenizers.Tokenizer``'s ids: those of each id are made when asked for.

        Raises:
            StelaError: the tokenizer's decoder is of a kind not known here, or an id is far too high.
        """
        with tokenizer_errors(UNREADABLE, "get the profile again"):
            vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        highest = max(vocabulary.values(), default=-1)
        if highest >= 2 * len(vocabulary) + SPARE_IDS:
            raise StelaError(
                f"the tokenizer has id {highest}, too high for {len(vocabulary)} tokens.",
                "get the profile again",
            )
        return cls.of_known_size(tokenizer, highest + 1)

    @classmethod
    def of_known_size(cls, tokenizer: AnyTokenizer, size: int) -> TokenBytes:
        """The same for a tokenizer whose number of ids is known.

        Raises:
            StelaError: as for :meth:`of`.
        """
        decoder = tokenizer.decoder
        form = None if decoder is None else json.loads(decoder.__getstate__())
        with tokenizer_errors(UNREADABLE, "get the profile again"):
            added = tokenizer.get_added_tokens_decoder()
        tokens = cls((), _special(added), strips_first_space=_strips_first_space(form))
        tokens._table = _WhenAsked(tokenizer, _spelling(form))
        tokens._table.update({index: _literal(literal) for index, literal in added.items()})
        tokens._size = size
        return tokens

    def only(self, ids: Iterable[int]) -> TokenBytes:
        """The same for texts of these ids: small where the vocabulary is large. Others have no bytes."""
        part = copy(self)
        part._table = defaultdict(bytes, {index: self[index] for index in ids})
        return part

    def __len__(self) -> int:
        """Number of ids: the real vocabulary, however wide the model's logits are."""
        return self._size

    def __getitem__(self, index: int) -> bytes:
        return self._table[index] if 0 <= index < self._size else b""

    def decode(self, ids: Iterable[int]) -> str:
        """The text a reader gets: special tokens and incomplete bytes at the end are left out.

        Where the tokenizer writes a text's first word with a space before it (Llama 2's does, Gemma's not),
        the space is taken off.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(b"".join(self[i] for i in ids))
        return text.removeprefix(" ") if self._strips_first_space else text

    def text_and_ends(self, ids: Sequence[int]) -> tuple[str, list[int]]:
        """The whole text and, for each position t, where the text of ``ids[:t]`` ends in it (:mod:`.prefix`).

        Returns:
            the text of all ids, and ``len(ids)`` character offsets (the first is 0).
        """
        parts = [self[index] for index in ids]
        data = b"".join(parts)
        try:
            text, read = codecs.utf_8_decode(data, "strict", False)
        except UnicodeDecodeError:
            return _replaced_ends(parts)
        # Characters that end within the first n bytes: each ends where the next begins. Bytes at the end that
        # begin a character more are in no prefix.
        whole = np.frombuffer(data, dtype=np.int8, count=read)
        begun = np.zeros(len(data) + 1, dtype=np.int64)
        np.cumsum(whole >= -64, out=begun[1 : read + 1])  # 0b10xxxxxx goes on
        ended = np.full(len(data) + 1, len(text))
        ended[:read] = begun[:read]
        inside = np.flatnonzero(whole < -64)
        ended[inside] -= 1
        before = np.zeros(len(parts), dtype=np.int64)
        np.cumsum([len(part) for part in parts[:-1]], out=before[1:])
        return text, ended[before].tolist()

    def is_text(self, index: int) -> bool:
        """Whether the id is an ordinary token: in the vocabulary and not special."""
        return 0 <= index < self._size and index not in self.special

    def texts(self) -> npt.NDArray[np.bool_]:
        """:meth:`is_text` of each id, shape ``(len(self) + 1,)``; the last stands for all that are higher."""
        ordinary = np.ones(self._size + 1, np.bool_)
        ordinary[[*self.special, self._size]] = False
        return ordinary


def _replaced_ends(parts: Sequence[bytes]) -> tuple[str, list[int]]:
    """The same of any bytes, as the decoder gives them: the plain definition."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces: list[str] = []
    ends: list[int] = []
    length = 0
    for part in parts:
        ends.append(length)
        piece = decoder.decode(part)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces), ends


class _WhenAsked(dict[int, bytes]):
    """Bytes of ids, read off a tokenizer one by one."""

    def __init__(self, tokenizer: AnyTokenizer, spelling: str) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._spelling = spelling

    def __missing__(self, index: int) -> bytes:
        token = self._tokenizer.id_to_token(index)
        self[index] = b"" if token is None else _to_bytes(token, self._spelling)
        return self[index]


def _literal(added: AddedToken) -> bytes:
    return b"" if added.special else added.content.encode()


def _special(added: dict[int, AddedToken]) -> frozenset[int]:
    return frozenset(index for index, token in added.items() if token.special)


def _spelling(decoder: Any) -> str:
    """``bytes`` for byte-level tokens, ``pieces`` for SentencePiece ones."""
    kinds = {part["type"] for part in _flatten(decoder)}
    if "ByteLevel" in kinds:
        return "bytes"
    patterns = [p.get("pattern", {}).get("String") for p in _flatten(decoder) if p["type"] == "Replace"]
    if "Metaspace" in kinds or WORD_START in patterns:
        return "pieces"
    raise StelaError(
        f"the tokenizer's decoder ({', '.join(sorted(kinds)) or 'none'}) is of a kind not supported.",
        "byte-level BPE and SentencePiece tokenizers are; please report this one",
    )


def _strips_first_space(decoder: Any) -> bool:
    """Whether the decoder takes off the space that its tokenizer wrote before the first word."""
    return any(
        (part["type"] == "Strip" and part.get("content") == " " and part.get("start", 0) > 0)
        or (part["type"] == "Metaspace" and part.get("prepend_scheme", "always") != "never")
        for part in _flatten(decoder)
    )


def _flatten(decoder: Any) -> list[dict[str, Any]]:
    if decoder is None:
        return []
    if decoder["type"] == "Sequence":
        return [part for inner in decoder["decoders"] for part in _flatten(inner)]
    return [decoder]


def _to_bytes(token: str, spelling: str) -> bytes:
    if spelling == "bytes":
        try:
            return bytes(BYTE_OF[character] for character in token)
        except KeyError:
            return token.encode()
    match = BYTE_TOKEN.fullmatch(token) if token.startswith("<0x") else None
    if match:
        return bytes([int(match[1], 16)])
    return token.replace(WORD_START, " ").encode()


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's printable stand-ins for bytes: character to byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    alphabet.update({chr(256 + i): byte for i, byte in enumerate(others)})
    return alphabet


BYTE_OF = _byte_alphabet()
