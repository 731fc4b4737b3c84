"""For tests of plugins: a small encoder in a folder, as ``load_encoder`` takes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import Tokenizer


def save_encoder(folder: Path, tokenizer: Tokenizer, seed: int, layers: int = 1, **of_tokenizer: Any) -> str:
    """Save a random BERT of width 32 that reads 64 pieces.

    Args:
        folder: to save it in.
        tokenizer: saved with it.
        seed: of its weights.
        layers: how many.
        of_tokenizer: more of the tokenizer's settings, such as ``pad_token``.

    Returns:
        The folder's path.
    """
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(folder)
    fast: Any = PreTrainedTokenizerFast  # whose constructor has no types
    fast(tokenizer_object=tokenizer, model_max_length=64, **of_tokenizer).save_pretrained(folder)
    return str(folder)
