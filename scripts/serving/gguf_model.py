"""The embedded model as a GGUF file: llama.cpp's own converter does not know its tokenizer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

NORMAL, CONTROL = 1, 3
"""Kinds of token (``llama_token_type``)."""

NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def write_gguf(folder: Path, path: Path) -> None:
    """Write a Llama of a transformers folder, byte-level tokenizer and tied embeddings, at full precision.

    Args:
        folder: with ``config.json``, ``model.safetensors`` and ``tokenizer.json``.
        path: the file to write.
    """
    from gguf import GGUFWriter

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    writer = GGUFWriter(path, "llama")
    add_shape(writer, config)
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    _add_tokens(writer, tokenizer)
    for name, tensor in sorted(tensors_of(folder / "model.safetensors")):
        if name.endswith("q_proj.weight"):
            tensor = _interleaved(tensor, heads)
        elif name.endswith("k_proj.weight"):
            tensor = _interleaved(tensor, kv_heads)
        writer.add_tensor(_name_of(name), np.ascontiguousarray(tensor))
    finish(writer)


def add_shape(writer: Any, config: dict[str, Any]) -> None:
    """What llama.cpp has to know of any model's ``config.json``."""
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_vocab_size(config["vocab_size"])


def finish(writer: Any) -> None:
    """Write the file, and close it."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_tokens(writer: Any, tokenizer: dict[str, Any]) -> None:
    special = {token["id"] for token in tokenizer["added_tokens"] if token["special"]}
    vocabulary = sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _ in vocabulary])
    writer.add_token_types([CONTROL if index in special else NORMAL for _, index in vocabulary])
    writer.add_token_merges([" ".join(pair) for pair in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)


def tensors_of(path: Path) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    """Names and arrays of a safetensors file of float32, or of bfloat16: the upper halves of float32."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + size)
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        raw = np.ascontiguousarray(data[first:end])
        is_whole = entry["dtype"] == "F32"
        values = raw.view("<u4") if is_whole else raw.view("<u2").astype(np.uint32) << 16
        yield name, values.view(np.float32).reshape(entry["shape"])


def _interleaved(weights: npt.NDArray[np.float32], heads: int) -> npt.NDArray[np.float32]:
    """Rows in the order that llama.cpp turns in pairs, where transformers turns halves."""
    rows, width = weights.shape
    return weights.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)


def _name_of(name: str) -> str:
    part = name.removesuffix(".weight")
    if part in NAMES:
        return f"{NAMES[part]}.weight"
    _, _, layer, own = part.split(".", 3)
    return f"blk.{layer}.{NAMES[own]}.weight"
