"""The text before a token, as a pure function of the token ids before it.

Bytes are decoded as UTF-8; a sequence broken in the middle becomes U+FFFD, as in every decoder, but
one that is only *incomplete* at the end is dropped: the next token may complete it.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from itertools import accumulate, pairwise

from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import AnyTokenizer, tokenizer_errors

MAX_BYTES_PER_CHARACTER = 4


def tail_of(ids: Sequence[int], tokens: TokenBytes, characters: int) -> str:
    """The last ``characters`` (at least 1) of the text of ``ids``, reading only as many ids as needed.

    Decoding may begin at any byte that is not a UTF-8 continuation byte: whatever came before, the
    decoder is in its initial state there.
    """
    needed = characters * MAX_BYTES_PER_CHARACTER
    parts: list[bytes] = []
    size = 0
    for index in reversed(ids):
        part = tokens[index]
        parts.append(part)
        size += len(part)
        if size >= needed and part and part[0] & 0xC0 != 0x80:
            break
    parts.reverse()
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return decoder.decode(b"".join(parts))[-characters:]


class GrowingTail:
    """:func:`tail_of` of a text that grows: a token more costs its own bytes, whatever the length.

    Args:
        characters: that are kept of the text's end, at least 1.
        data: the bytes of the text so far.
    """

    __slots__ = ("_begun", "_characters", "text")

    def __init__(self, characters: int, data: bytes = b"") -> None:
        self._characters = characters
        self._begun = b""
        """The beginning of a character at the end: at most three bytes."""
        self.text = ""
        """The end of the text; incomplete bytes are left out."""
        self.append(data)

    def append(self, data: bytes) -> None:
        """Take the bytes of the next token."""
        # What the incremental decoder does that defines a text, with its state in one bytes.
        data = self._begun + data
        more, read = codecs.utf_8_decode(data, "replace", False)
        self._begun = data[read:]
        if more:
            self.text = (self.text + more)[-self._characters :]

    def copy(self) -> GrowingTail:
        """Another that may grow in another way."""
        other = GrowingTail(self._characters)
        other._begun, other.text = self._begun, self.text
        return other


def tails_before_each(ids: Sequence[int], tokens: TokenBytes, characters: int) -> list[str]:
    """``tail_of(ids[:t], tokens, characters)`` for each position t of a text, decoded once."""
    text, ends = tokens.text_and_ends(ids)
    return [text[max(0, end - characters) : end] for end in ends]


def decodes_to(text: str, ids: Sequence[int], tokens: TokenBytes) -> bool:
    """Whether the bytes of the ids are the text, or that with the space which SentencePiece writes first."""
    spelled, written = b"".join(map(tokens.__getitem__, ids)), text.encode()
    return spelled in (written, b" " + written)


def token_places(text: str, tokenizer: AnyTokenizer) -> list[int]:
    """Boundaries of a text's tokens by the tokenizer's offsets: token t is ``text[places[t]:places[t + 1]]``.

    A character that is spread over several tokens belongs to the last. Of what no token has, spaces belong to
    the token after them, all else (a mark that became part of a letter) to the one before.

    Returns:
        one number more than there are tokens, ascending, in characters; from 0 to the length of the text.
    """
    with tokenizer_errors("the tokenizer fails on a text", "get the profile again, or make it again"):
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    ends = [
        end if start > end and text[end:start].isspace() else start
        for (_, end), (start, _) in pairwise(offsets)
    ]
    return [*accumulate([0, *ends], max), len(text)] if offsets else [0]
