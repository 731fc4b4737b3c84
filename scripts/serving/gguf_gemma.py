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

import numpy as np
import numpy.typing as npt

NORMAL, CONTROL, BYTE = 1, 3, 6
"""Kinds of token (``llama_token_type``)."""

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
    layers = config["num_hidden_layers"]
    writer = GGUFWriter(path, "gemma3")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(layers)
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["full_attention"]["rope_theta"])
    writer.add_sliding_window(config["sliding_window"])
    writer.add_vocab_size(config["vocab_size"])
    _add_tokens(writer, json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")))
    names = get_tensor_name_map(MODEL_ARCH.GEMMA3, layers)
    for name, tensor in _tensors(folder / "model.safetensors"):
        ours = names.get_name(name, try_suffixes=(".weight",))
        if tensor.ndim == 2 and tensor.shape[1] % BLOCK == 0:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(ours, quantize(tensor, kind), raw_dtype=kind)
        else:  # Gemma's norms multiply by one more than their weights
            writer.add_tensor(ours, tensor + 1 if name.endswith("norm.weight") else tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


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


def _tensors(path: Path) -> Any:
    """Names and float32 arrays of a safetensors file of float32 or bfloat16, one after another."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + size)
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        raw = np.ascontiguousarray(data[first:end])
        values: npt.NDArray[np.float32]
        if entry["dtype"] == "F32":
            values = raw.view("<f4")
        else:
            values = (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)
        yield name, values.reshape(entry["shape"])


if __name__ == "__main__":
    write_gguf(*map(Path, sys.argv[1:]))
