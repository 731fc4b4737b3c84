"""GPT-2's tokenizer from the list of its tokens that OpenAI's tiktoken reads."""

from __future__ import annotations

import base64
from pathlib import Path

from tokenizers import Tokenizer
from transformers.convert_slow_tokenizer import TikTokenConverter

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""As https://github.com/openai/tiktoken has it (MIT)."""


class _Converter(TikTokenConverter):
    """transformers' own, which reads the file with a library that is not needed for it."""

    @staticmethod
    def load_tiktoken_bpe(tiktoken_url: str) -> dict[bytes, int]:
        """Bytes of each token to its rank."""
        lines = Path(tiktoken_url).read_text(encoding="ascii").splitlines()
        return {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}


def gpt2_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a ``gpt2.tiktoken``."""
    made: Tokenizer = _Converter(vocab_file=str(path), pattern=PATTERN).converted()  # type: ignore[no-untyped-call]
    return made
