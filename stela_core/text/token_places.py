"""Where the tokens of a text end in it, also where their bytes do not spell it.

Special tokens have no bytes, and a normaliser may write a text in another way before it is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from tokenizers import Tokenizer

from stela_core.text.rust import rust
from stela_core.text.token_bytes import TokenBytes


def spells(text: str, ids: Sequence[int], tokens: TokenBytes) -> bool:
    """Whether the bytes of the ids are the text, or that with the space which SentencePiece writes first."""
    data, own = b"".join(map(tokens.__getitem__, ids)), text.encode()
    return data in (own, b" " + own)


def token_places(text: str, tokenizer: Tokenizer) -> list[int]:
    """Boundaries of a text's tokens by the tokenizer's offsets: token t is ``text[places[t]:places[t + 1]]``.

    A character that is spread over several tokens belongs to the last. Of what no token has, spaces belong to
    the token after them, all else (a mark that became part of a letter) to the one before.

    Returns:
        one number more than there are tokens, ascending, in characters; from 0 to the length of the text.
    """
    with rust("the tokenizer fails on a text", "get the profile again, or make it anew"):
        offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    ends = [
        end if start > end and text[end:start].isspace() else start
        for (_, end), (start, _) in pairwise(offsets)
    ]
    return [*accumulate([0, *ends], max), len(text)] if offsets else [0]
