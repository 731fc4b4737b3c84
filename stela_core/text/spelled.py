"""Which beginnings of characters lead anywhere, where a tokenizer spells the unknown byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from tokenizers import Tokenizer

from stela_core.text.rust import rust
from stela_core.text.token_bytes import BYTE_TOKEN

TRIED_AT_ONCE = 256
TRIED_AT_MOST = 16_384
"""Characters that are tried for one beginning: all of those with two or three bytes."""


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
            with rust("the tokenizer fails on a text", "get the profile again, or make it anew"):
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
