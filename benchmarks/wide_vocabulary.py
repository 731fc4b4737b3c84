"""A tokenizer as wide as Gemma's, of made-up words: nothing has to be fetched.

Gemma's has 515,000 merges, this one 352,000: what is measured with it is a little less.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from stela_testing.texts import ENGLISH
from tokenizers import Tokenizer, decoders, models, normalizers

TOKENS = 262_144
LONGEST = 6
"""Characters of a token."""


def wide_tokenizer() -> Tokenizer:
    """SentencePiece's form: bytes for unknown characters, every way to join two tokens to one a merge."""
    rng = np.random.default_rng(35)
    letters = sorted({*ENGLISH.replace(" ", "▁"), *"abcdefghijklmnopqrstuvwxyz"})
    names = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    words = dict.fromkeys(letters)
    parts = list(letters)
    # Those of real texts first, so that a sentence is cut into words.
    for word in ENGLISH.replace(" ", " ▁").split():
        words.update(dict.fromkeys(word[:size] for size in range(2, min(len(word), LONGEST) + 1)))
    while len(names) + len(words) < TOKENS:
        first, second = (parts[int(n)] for n in rng.integers(0, len(parts), 2))
        joined = first + second
        if joined not in words:
            words[joined] = None
            parts += [joined] * (len(joined) <= LONGEST // 2)
    vocabulary = {name: number for number, name in enumerate([*names, *words])}
    merges = [
        (word[:cut], word[cut:])
        for word in words
        for cut in range(1, len(word))
        if word[:cut] in words and word[cut:] in words
    ]
    made = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    made.add_special_tokens(["<unk>"])
    return made


def write_wide(folder: Path) -> Path:
    """A folder for ``--model`` that holds nothing but this tokenizer."""
    folder.mkdir()
    wide_tokenizer().save(str(folder / "tokenizer.json"), pretty=True)
    return folder
