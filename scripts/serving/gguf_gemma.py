"""A Gemma 3 of a transformers folder as a GGUF file of 8-bit weights: a real model to measure llama.cpp with.

llama.cpp's converter reads SentencePiece's ``tokenizer.model``; this reads ``tokenizer.json``, and is enough
where ids go in and ids come out.

    python -m scripts.serving.gguf_gemma FOLDER OUT.gguf
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from scripts.serving.gguf_model import CONTROL, NORMAL, add_shape, finish, tensors_of

BYTE = 6
"""Kind of the tokens of single bytes (``llama_token_type``)."""

BLOCK = 32
"""Weights of a row that share a scale (Q8_0)."""


def write_gguf(folder: Path, path: Path) -> None:
    """Write the model; matrices in Q8_0, the rest in float32.

    Args:
        folder: with ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
        path: the file to write.
    """
    from gguf import MODEL_ARCH, GGMLQuantizationType, GGUFWriter, get_tensor_name_map
    from gguf.quants import quantize

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] != "gemma3_text":
        raise SystemExit(f"{folder} is not a Gemma 3 of text alone: its model_type is {config['model_type']}")
    writer = GGUFWriter(path, "gemma3")
    add_shape(writer, config)
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_rope_freq_base(config["rope_parameters"]["full_attention"]["rope_theta"])
    writer.add_sliding_window(config["sliding_window"])
    _add_tokens(writer, json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")))
    names = get_tensor_name_map(MODEL_ARCH.GEMMA3, config["num_hidden_layers"])
    for name, tensor in tensors_of(folder / "model.safetensors"):
        ours = names.get_name(name, try_suffixes=(".weight",))
        if tensor.ndim == 2 and tensor.shape[1] % BLOCK == 0:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(ours, quantize(tensor, kind), raw_dtype=kind)
        else:  # Gemma's norms multiply by one more than their weights
            writer.add_tensor(ours, tensor + 1 if name.endswith("norm.weight") else tensor)
    finish(writer)


def _add_tokens(writer: Any, tokenizer: dict[str, Any]) -> None:
    special = {token["id"] for token in tokenizer["added_tokens"] if token["special"]}
    vocabulary = sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
    tokens = [token for token, _ in vocabulary]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([float(-index) for index in range(len(tokens))])
    writer.add_token_types(
        [
            CONTROL if index in special else BYTE if is_byte(token) else NORMAL
            for index, token in enumerate(tokens)
        ]
    )
    writer.add_bos_token_id(tokens.index("<bos>"))
    writer.add_eos_token_id(tokens.index("<eos>"))
    writer.add_unk_token_id(tokens.index("<unk>"))
    writer.add_add_space_prefix(False)


def is_byte(token: str) -> bool:
    """Whether it is one of ``<0x00>`` to ``<0xFF>``."""
    return len(token) == 6 and token.startswith("<0x") and token.endswith(">")


if __name__ == "__main__":
    write_gguf(*map(Path, sys.argv[1:]))
