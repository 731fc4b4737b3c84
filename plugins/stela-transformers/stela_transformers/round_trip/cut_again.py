"""A text cut into tokens again: are they the ids that it was written with?"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from itertools import islice, product

import numpy as np
from tokenizers import Tokenizer

from stela_core.api import TokenBytes, tokenizer_errors
from stela_transformers.round_trip.bpe_pairs import BpePairs
from stela_transformers.round_trip.token_kinds import BYTE_TOKEN, kinds_after

LAST_IDS = 8
"""Last ids of a text, cut again with a candidate behind them."""
COMPARED = 4
"""Number of these, from the end, that have to come back; a border at the beginning lies before them."""

MAX_BYTES_PER_CHARACTER = 4
"""Bytes of a character in UTF-8, at most."""

TRIED_AT_ONCE = 256

TRIED_AT_MOST = 16_384
"""Characters that are tried for one beginning: all of those with two or three bytes."""


class CutAgain:
    """Try candidates for a text's next id by cutting its end again with each of them.

    Args:
        tokenizer: the profile's.
        tokens: bytes of its ids.
        pairs: of the tokenizer; ``None`` where it is not a BPE tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer, tokens: TokenBytes, pairs: BpePairs | None) -> None:
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._pairs = pairs
        self._spelled = Spelled(tokenizer)

    def come_back(self, window: Sequence[int], candidates: Sequence[int]) -> list[bool]:
        """Whether each candidate comes back behind the last ids of a text, by cutting the text again.

        Where a candidate ends within a character there is no text to cut yet: it is enough that the bytes may
        still become one that comes back, and that BPE leaves the last two ids apart, as for letters.
        """
        back = [False] * len(candidates)
        texts, numbers = [], []
        text, begun = read(self.bytes_of(window))
        safe = bool(begun) or not window or bool(kinds_after(text))
        first = len(window) < LAST_IDS and self.bytes_of(window) == begun
        if len(window) < LAST_IDS:
            text = self._tokens.decode(window)  # without what SentencePiece writes before the first word
        for number, candidate in enumerate(candidates):
            try:
                added, left = read(begun + self._tokens[candidate], "strict")
            except UnicodeDecodeError:
                continue  # it breaks a character
            if left:
                apart = safe or self._stays_before(window, text, self._tokens[candidate])
                goes_on = self._spelled.goes_on(left, first and not added)
                back[number] = goes_on and apart and self._stable(window, candidate)
            else:
                texts.append(text + added if window else self._tokens.decode([candidate]))
                numbers.append(number)
        with tokenizer_errors("the tokenizer fails on a text", "get the profile again, or make it again"):
            again = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        for number, encoding in zip(numbers, again, strict=True):
            wanted = [*window, candidates[number]]
            whole = len(wanted) <= COMPARED
            back[number] = (encoding.ids if whole else encoding.ids[-COMPARED:]) == wanted[-COMPARED:]
        return back

    def _stays_before(self, window: Sequence[int], text: str, data: bytes) -> bool:
        """Whether the last ids do not change before a letter that begins with these bytes."""
        for fill in range(0x80, 0xC0):
            whole, left = read(data + bytes([fill]) * (MAX_BYTES_PER_CHARACTER - 1))
            letter = whole[: len(read(data)[0]) + 1]
            if not left and letter[-1:].isalpha():
                break
        else:
            return False
        again = self._tokenizer.encode(text + letter, add_special_tokens=False).ids
        rest = len(letter.encode())
        while rest > 0:
            rest -= len(self._tokens[again.pop()])
        return rest == 0 and again[1 - COMPARED :] == list(window[1 - COMPARED :])

    def _stable(self, window: Sequence[int], candidate: int) -> bool:
        if not window or self._pairs is None:
            return True
        unstable = self._pairs.unstable_after(window[-1])
        index = int(np.searchsorted(unstable, candidate))
        return index == len(unstable) or int(unstable[index]) != candidate

    def bytes_of(self, ids: Sequence[int]) -> bytes:
        """The bytes that ids stand for."""
        return b"".join(self._tokens[index] for index in ids)


def read(data: bytes, errors: str = "replace") -> tuple[str, bytes]:
    """Bytes as text, and those at the end that are the beginning of a character.

    Raises:
        UnicodeDecodeError: ``errors`` is "strict", and they are not text.
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    text, begun = decoder.decode(data), decoder.getstate()[0]
    if errors == "strict" and b"\xed\xa0" <= begun < b"\xee":
        begun.decode()  # the decoder waits for the third byte of a surrogate, which no text holds
    return text, begun


def comes_back(ids: Sequence[int], tokenizer: Tokenizer, tokens: TokenBytes) -> bool:
    """Whether a text's own tokenisation is the ids it was generated with: the slow, plain definition."""
    return tokenizer.encode(tokens.decode(ids), add_special_tokens=False).ids == list(ids)


class Spelled:
    """SentencePiece's byte fallback: bytes stand for characters that are not in the vocabulary.

    A byte that only characters of the vocabulary begin with never comes back from text. Nor does one at the
    beginning of a text whose tokenizer writes a space there. Other tokenizers have merges for their bytes:
    whatever is asked of them goes on.

    Args:
        tokenizer: the profile's.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        falls_back = bool(getattr(tokenizer.model, "byte_fallback", False))
        names = tokenizer.get_vocab() if falls_back else {}
        self._ids = {
            int(match[1], 16): index for name, index in names.items() if (match := BYTE_TOKEN.fullmatch(name))
        }
        self._known: dict[tuple[bytes, bool], bool] = {}

    def goes_on(self, begun: bytes, first: bool) -> bool:
        """Whether some character that begins with these bytes comes back as its bytes.

        Args:
            begun: beginning of a character, one to three bytes, each a token.
            first: whether nothing stands before them.
        """
        if not self._ids:
            return True
        if (known := self._known.get((begun, first))) is None:
            known = self._known[begun, first] = self._found(begun, first)
        return known

    def _found(self, begun: bytes, first: bool) -> bool:
        characters = islice(_characters(begun), TRIED_AT_MOST)
        while some := list(islice(characters, TRIED_AT_ONCE)):
            with tokenizer_errors("the tokenizer fails on a text", "get the profile again, or make it again"):
                cut = self._tokenizer.encode_batch_fast(some, add_special_tokens=False)
            for character, encoding in zip(some, cut, strict=True):
                wanted = [self._ids.get(byte) for byte in character.encode()]
                if (encoding.ids if first else encoding.ids[-len(wanted) :]) == wanted:
                    return True
        return False


def _characters(begun: bytes) -> Iterator[str]:
    """All characters that begin with these bytes, in the order of their code points."""
    length = 2 if begun[0] < 0xE0 else 3 if begun[0] < 0xF0 else 4
    for rest in product(range(0x80, 0xC0), repeat=length - len(begun)):
        try:
            yield (begun + bytes(rest)).decode()
        except UnicodeDecodeError:  # a longer form than needed, a surrogate, or beyond Unicode
            continue
