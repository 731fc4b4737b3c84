"""The embedded model as a GGUF file: llama.cpp's own converter does not know its tokenizer."""

from __future__ import annotations

import json
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
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    _add_tokens(writer, tokenizer)
    for name, tensor in sorted(_tensors(folder / "model.safetensors").items()):
        if name.endswith("q_proj.weight"):
            tensor = _interleaved(tensor, heads)
        elif name.endswith("k_proj.weight"):
            tensor = _interleaved(tensor, kv_heads)
        writer.add_tensor(_name_of(name), np.ascontiguousarray(tensor))
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


def _tensors(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Of a file of bfloat16: the upper halves of float32."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        first, end = (start + offset for offset in entry["data_offsets"])
        upper = np.frombuffer(data[first:end], dtype="<u2").astype(np.uint32)
        tensors[name] = (upper << 16).view(np.float32).reshape(entry["shape"])
    return tensors


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
