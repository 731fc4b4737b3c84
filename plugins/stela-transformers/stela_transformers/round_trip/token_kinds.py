"""Tokens of letters only: those that no pre-tokenizer cuts, wherever a word may go on or begin."""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.api import TokenBytes

LETTERS, WORD, OTHER = 1, 2, 0
"""Letters; a space and letters; whatever else. Both of the former may end within a character."""

NONE: frozenset[int] = frozenset()
GOING_ON = frozenset({LETTERS})
BOTH = frozenset({LETTERS, WORD})
KINDS = (NONE, GOING_ON, BOTH)
"""What :func:`kinds_after` answers."""

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
"""A token of SentencePiece that stands for one byte."""

KEEPING = frozenset({"NFC", "NFKC", "Precompiled", "Prepend"})
"""Normalizers that leave letters in the form NFKC as they are."""


def kinds_of(tokenizer: Tokenizer, tokens: TokenBytes, made: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    """The kind of each token id, (ids,).

    Args:
        tokenizer: whose normalizer may change letters: all tokens are :data:`OTHER` then.
        tokens: their bytes.
        made: whether BPE makes the token from its bytes, (ids of the model,).
    """
    kinds = np.zeros(len(tokens), dtype=np.uint8)
    content = json.loads(tokenizer.normalizer.__getstate__()) if tokenizer.normalizer else None
    if not all(keeps_letters(part) for part in _parts(content)):
        return kinds
    apart = set(tokenizer.get_added_tokens_decoder())
    # Bytes of their own stand for what is not in the vocabulary, never for its letters.
    apart |= {index for name, index in tokenizer.get_vocab().items() if BYTE_TOKEN.fullmatch(name)}
    for index in np.flatnonzero(made[: len(tokens)]).tolist():
        data = tokens[index]
        letters = data.removeprefix(b" ")
        if letters and index not in apart and is_letters(letters):
            kinds[index] = WORD if len(letters) < len(data) else LETTERS
    return kinds


def keeps_letters(part: dict[str, Any]) -> bool:
    """Whether a normalizer leaves letters in the form NFKC as they are."""
    return part["type"] in KEEPING or (part["type"] == "Replace" and part["pattern"] == {"String": " "})


def is_letters(data: bytes) -> bool:
    """Whether these are letters in the form NFKC, the last one perhaps begun only."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        text = decoder.decode(data)
    except UnicodeDecodeError:
        return False
    return not text or (all(map(is_letter, text)) and unicodedata.is_normalized("NFKC", text))


def is_letter(character: str) -> bool:
    """A letter that makes no other one together with its neighbours, as the parts of Hangul do."""
    return character.isalpha() and not "\u1100" <= character <= "\u11ff"


def kinds_after(text: str) -> frozenset[int]:
    """The kinds of tokens that, behind a text, are cut as plain BPE would: no border is drawn within them.

    So it is for the patterns of GPT-2, GPT-4, Llama 3 and Qwen, and where there are none (SentencePiece's): a
    word goes on after a letter and begins after a space or a sign. Not where a space might move to the next
    word, an apostrophe takes letters with it (``'s``), or a mark joins on.

    Args:
        text: the end of it, three characters or more where there are as many.
    """
    if not text:
        return NONE
    last = text[-1]
    if "'" in text[-3:] or (unicodedata.category(last)[0] in "MC" and not last.isspace()):
        return NONE
    if last.isspace():
        if text[-2:-1].isspace():
            return NONE
        return GOING_ON if last == " " else BOTH
    return NONE if last.isalpha() and not is_letter(last) else BOTH


def _parts(normalizer: Any) -> Iterable[dict[str, Any]]:
    if normalizer is None:
        return []
    if normalizer["type"] == "Sequence":
        return [part for inner in normalizer["normalizers"] for part in _parts(inner)]
    return [normalizer]
