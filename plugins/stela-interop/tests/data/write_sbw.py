"""Write ``sbw.json``: the package sbw 1.0.0 (EUPL-1.2), run on a CPU; only its numbers are kept.

``PYTHONPATH=FOLDER python write_sbw.py`` where FOLDER holds the unpacked wheel; torch and SciPy are needed.
"""

from __future__ import annotations

import os

os.environ["TORCHDYNAMO_DISABLE"] = "1"

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sbw.batch import (
    WatermarkBatch,
    _philox4x32_10,
    _selfsalt_fullvocab_inner,
    _simple_fused_inner,
    hashint_gpu,
)
from sbw.detector import WatermarkDetector

SIZE = 2048
SCHEMES = [
    ("gpu-fused-selfhash-fullvocab", 0.5, 15485863),
    ("gpu-selfhash-fullvocab", 0.25, 2**62 + 12345),
    ("gpu-ff-anchored_minhash_prf-2-True-fullvocab", 0.4, 7),
    ("gpu-ff-anchored_minhash_prf-1-True-fullvocab", 0.25, 987654321987),
    ("gpu-fused-selfhash-60", 0.25, 15485863),
    ("gpu-simple_1", 0.25, 15485863),
    ("gpu-fused-simple_4", 0.1, 2**61 - 1),
]


def packed(mask: torch.Tensor) -> str:
    """Hex digits of a mask, the first id in the lowest bit of the first byte."""
    return np.packbits(mask.numpy(), bitorder="little").tobytes().hex()


class NoTokenizer:
    """The detector asks it for the BOS alone."""

    bos_token_id = None


def case(scheme: str, gamma: float, key: int, source: random.Random) -> dict[str, Any]:
    """One scheme: green lists, marked logits, and the detector's numbers of two texts."""
    vocabulary = list(range(SIZE))
    batch = WatermarkBatch(vocabulary, gamma=gamma, seeding_scheme=scheme, hash_key=key)
    width = batch.context_width
    contexts = [[source.randrange(SIZE) for _ in range(width)] for _ in range(3)]
    limit = int(gamma * 0x7FFFFFFF)
    lists, biased = [], []
    for context in contexts:
        logits, ids = torch.zeros(1, SIZE), torch.tensor([context])
        if width == 1 and batch.self_salt:
            # Their fused pass takes no context of the candidate alone.
            out = batch.get_greenlist_masks(ids, logits, num_candidates=0)
        elif batch.self_salt:
            out = _selfsalt_fullvocab_inner(ids, logits, limit, 1.0, key, 0)
        else:
            out = _simple_fused_inner(ids, logits, gamma, 1.0, key)
        lists.append(packed(out[0].bool()))
        scores = 5 * torch.sin(0.7 * torch.arange(SIZE).double()).float()[None] + torch.arange(SIZE) * 1e-4
        if batch.self_salt:
            out = batch.apply_watermark_selfsalt_direct(ids, scores.clone(), delta=1.7)
        else:
            out = batch.apply_watermark_fused(ids, scores.clone(), delta=1.7)
        biased.append(packed(out[0] != scores[0]))
    detector = WatermarkDetector(
        torch.device("cpu"), NoTokenizer(), vocabulary, gamma=gamma, seeding_scheme=scheme, hash_key=key
    )
    texts = []
    for distinct in (SIZE, 12):
        ids = [source.randrange(distinct) for _ in range(150)]
        found = detector.detect(tokenized_text=torch.tensor(ids), return_green_token_mask=True)
        texts.append(
            {
                "ids": ids,
                "scored": found["num_tokens_scored"],
                "green": found["num_green_tokens"],
                "z": found["z_score"],
                "p": float(found["p_value"]),
                "mask": "".join("01"[bool(g)] for g in found["green_token_mask"]),
            }
        )
    return {
        "seeding_scheme": scheme,
        "gamma": gamma,
        "hash_key": key,
        "contexts": contexts,
        "lists": lists,
        "biased": biased,
        "texts": texts,
    }


def main() -> None:
    """Write the file beside this one."""
    source = random.Random(20261124)
    ids = [0, 1, 2, 1000003, 151935, *(source.randrange(2**21) for _ in range(20))]
    words = []
    for _ in range(12):
        seed, token = source.randrange(2**64), source.randrange(2**21)
        inputs = [token // 4, 0, 0, 0, seed & 0xFFFFFFFF, seed >> 32]
        out = _philox4x32_10(*(torch.tensor([value]) for value in inputs))
        words.append([seed, token, int(out[token % 4])])
    content = {
        "origin": "sbw 1.0.0 (pypi.org/project/sbw)",
        "hashes": [[i, int(hashint_gpu(torch.tensor([i])))] for i in ids],
        "words": words,
        "cases": [case(*each, source) for each in SCHEMES],
    }
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in content.items() if k != "cases"]
    lines.append('"cases": [\n' + ",\n".join(json.dumps(c) for c in content["cases"]) + "\n]")
    (Path(__file__).parent / "sbw.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
