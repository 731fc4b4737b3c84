"""Whether a GGUF file's vocabulary is a profile's: token by token, for it holds no ``tokenizer.json``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import stela_core as stela


def require_same_vocabulary(watermark: stela.Watermark, llama: Any) -> None:
    """Refuse a ``llama_cpp.Llama`` whose vocabulary differs, as :func:`require_same_pieces` does."""
    require_same_pieces(watermark, lambda index: llama.detokenize([index]), llama.n_vocab())


def require_same_pieces(watermark: stela.Watermark, piece: Callable[[int], bytes], count: int) -> None:
    """Refuse a model whose tokens are others than the profile's; those beyond are never marked.

    Args:
        watermark: of the profile.
        piece: the bytes of a token of the model.
        count: tokens of the model.

    Raises:
        stela.StelaError: there are fewer, or one has other bytes.
    """
    tokens = watermark.tokens
    if count < len(tokens):
        raise stela.StelaError(
            f"wrong model: it has {count} tokens, and the profile's tokenizer {len(tokens)}.",
            "take the model that the profile was made for",
        )
    for index in range(len(tokens)):
        if tokens.is_text(index) and piece(index) != tokens[index]:
            raise stela.StelaError(
                f"wrong model: its token {index} is {piece(index)!r}, the profile's {tokens[index]!r}.",
                "take the model that the profile was made for",
            )
