"""Tokenizers and profiles to compare detectors on, and texts that are marked under them."""

from __future__ import annotations

import json
import lzma
import random
import sys
import zipfile
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from stela_page.reproducible import LANGUAGES
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

import stela_core as stela

ROOT = Path(__file__).resolve().parents[3]
TINY = ROOT / "plugins" / "stela-tiny" / "stela_tiny"
TABLE = ROOT / "plugins" / "stela-learned" / "stela_learned" / "tables" / "text-en.json.xz"

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
CL100K = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{REST}"
QWEN = CL100K.replace(r"\p{N}{1,3}", r"\p{N}")
SLASHED = REST.replace(r"[\r\n]*", r"[\r\n/]*")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTIONS}?|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}|{SLASHED}"
)

SCHEMES: dict[str, dict[str, Any]] = {
    "kgw": {"scheme": "kgw"},
    "kgw, gamma .25, width 3": {"scheme": "kgw", "gamma": 0.25, "context_width": 3},
    "kgw, repeats summed, ties whole": {"scheme": "kgw", "parameters": {"repeats": "sum", "ties": "whole"}},
    "kgw, three keys": {"scheme": "kgw"},
    "morphmark": {"scheme": "morphmark"},
    "unigram": {"scheme": "unigram"},
    "learned-text": {"scheme": "learned-text", "language": "en"},
    "kgw+learned-text, zh": {"scheme": "kgw+learned-text", "language": "zh"},
    "learned-text, a stranger's table": {"scheme": "learned-text", "language": "en"},
    "stela, en": {"scheme": "stela", "language": "en", "tagger": "penn:causal"},
    "stela, en, k 4": {"scheme": "stela", "language": "en", "tagger": "penn:causal", "k": 4},
    **{f"stela, {one}": {"scheme": "stela", "language": one} for one in (*LANGUAGES, "zh", "ko")},
    "kgw+stela, ja, k 3": {"scheme": "kgw+stela", "language": "ja", "k": 3},
    "stela+kgw, penn": {"scheme": "stela+kgw", "language": "en", "tagger": "penn:shipped"},
    "gumbel": {"scheme": "gumbel"},
    "gumbel, repeats scored": {"scheme": "gumbel", "parameters": {"once": False}, "context_width": 2},
    "gumbel+learned-text, ko": {"scheme": "gumbel+learned-text", "language": "ko"},
    "gumbel+learned-likelihood, en": {"scheme": "gumbel+learned-likelihood", "language": "en"},
    "gumbel+learned-likelihood, zh": {"scheme": "gumbel+learned-likelihood", "language": "zh", "bits": 16},
    "synthid+learned-likelihood, ko": {"scheme": "synthid+learned-likelihood", "language": "ko"},
    "kgw+learned-likelihood, en": {"scheme": "kgw+learned-likelihood", "language": "en"},
    "gumbel-vllm": {"scheme": "gumbel-vllm"},
    "gumbel-vllm-dual": {"scheme": "gumbel-vllm-dual"},
    "synthid": {"scheme": "synthid"},
    "synthid, 4 layers alike, width 2": {
        "scheme": "synthid",
        "context_width": 2,
        "parameters": {"depth": 4, "layers": "mean", "table_seed": 5, "table_size": 4096, "skip_first": True},
    },
    "synthid, keys of its own": {
        "scheme": "synthid",
        "context_width": 3,
        "parameters": {"derived": False, "depth": 3, "table_size": 4096},
    },
    "synthid+learned-text, en": {"scheme": "synthid+learned-text", "language": "en"},
    "kgw, 8 bits": {"scheme": "kgw", "bits": 8},
    "stela, de, 24 bits": {"scheme": "stela", "language": "de", "bits": 24},
    "gumbel, 16 bits, three keys": {"scheme": "gumbel", "bits": 16},
    "gumbel, 32 bits": {"scheme": "gumbel", "bits": 32},
    "gumbel-sglang": {"scheme": "gumbel-sglang"},
    "pf": {"scheme": "pf"},
    "coupling": {"scheme": "coupling"},
    "textgrain": {"scheme": "textgrain", "parameters": {"budget": 0.3, "blocks": 8}},
    "coupling, repeats scored": {"scheme": "coupling", "parameters": {"once": False}, "context_width": 2},
    "gumbel-sglang, two keys": {"scheme": "gumbel-sglang", "parameters": {"mixing_probability": 0.3}},
}
"""What is compared: arguments of ``stela.create``."""


def tokenizers_of(data: Path | None, further: dict[str, Path]) -> dict[str, Callable[[], Tokenizer]]:
    """Tokenizers by name, each read when it is called for."""
    known: dict[str, Callable[[], Tokenizer]] = {
        "stela-tiny": lambda: Tokenizer.from_file(str(TINY / "model" / "tokenizer.json")),
        "tiny-small": lambda: Tokenizer.from_file(str(TINY / "small" / "tokenizer.json")),
    }
    if data is not None:
        folder = data / "tokenizers"
        known |= {
            "GPT-2": lambda: tiktoken(folder / "gpt2.tiktoken"),
            "Whisper": lambda: tiktoken(folder / "multilingual.tiktoken"),
            "cl100k, Llama 3's pattern": lambda: tiktoken(folder / "cl100k_base.tiktoken", CL100K),
            "cl100k, Qwen's pattern and NFC": lambda: tiktoken(
                folder / "cl100k_base.tiktoken", QWEN, nfc=True
            ),
            "o200k": lambda: tiktoken(folder / "o200k_base.tiktoken", O200K),
            "GPT-NeoX-20B": lambda: Tokenizer.from_file(str(folder / "20B_tokenizer.json")),
        }
    return known | {
        name: (lambda path=path: Tokenizer.from_file(str(path))) for name, path in further.items()
    }


def tiktoken(path: Path, pattern: str | None = None, nfc: bool = False) -> Tokenizer:
    """A tokenizer of a file of tiktoken's, with GPT-2's pattern or another one."""
    sys.path.insert(0, str(ROOT))
    from benchmarks.gpt2_tokenizer import gpt2_tokenizer

    tokenizer = gpt2_tokenizer(path)
    if pattern is not None:
        steps = [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(False, use_regex=False),
        ]
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    if nfc:
        tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def profiles_of(tokenizer: Tokenizer, folder: Path, seed: int) -> Iterator[tuple[str, Path]]:
    """A profile file of each scheme, with a public key, or several."""
    for number, (name, settings) in enumerate(SCHEMES.items()):
        table = strange_table(folder) if "stranger" in name else None
        made = stela.create(**settings, tokenizer=tokenizer, key="public", table=table)
        path = folder / f"{number}.stela"
        made.save(path, force=True)
        with_keys(path, 3 if "three keys" in name else 1, random.Random(f"{seed}/{name}"))
        yield name, path


def strange_table(folder: Path) -> Path:
    """The shipped table with a third of its contexts left out."""
    content = json.loads(lzma.decompress(TABLE.read_bytes()))
    content["values"] = {
        key: value for n, (key, value) in enumerate(content["values"].items()) if n % 3 or not key
    }
    path = folder / "strange-table.json"
    path.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    return path


def with_keys(path: Path, count: int, rng: random.Random) -> None:
    """Write ``count`` keys, drawn anew, into a profile's file: the first is current."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    profile = json.loads(members["profile.json"])
    size = len(profile["hasher"]["key"]) // 2
    current, *earlier = (key_fields(rng.randbytes(size)) for _ in range(count))
    profile["hasher"] |= current | ({"earlier_keys": earlier} if earlier else {})
    members["profile.json"] = json.dumps(profile, indent=2).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def key_fields(key: bytes) -> dict[str, str]:
    """A key as a profile writes it (docs/hashing.md)."""
    name = blake2b(key, digest_size=4, person=b"stela/key-id/1").hexdigest()
    return {"key_id": name, "key": f"{int.from_bytes(key, 'little'):0{2 * len(key)}x}"}


def marked_text(
    watermark: stela.Watermark, ids: list[int], length: int, choices: int, rng: random.Random
) -> str:
    """A text of these ids in an order that the mark likes: each time the best of several drawn at random.

    No model is asked: it is not a language, but it is marked as strongly as a model's text can be.
    """
    hasher, law = watermark.parts.hasher, watermark.parts.hasher.law
    encoder, width, written = watermark.parts.encoder, hasher.context_width, list[int]()
    message = 0
    if encoder is not None:
        # The p-value is times the number of messages: a mark that is found is a stronger one.
        message, choices = rng.getrandbits(encoder.bits), 4 * choices
    for position in range(length):
        candidates = np.array([rng.choice(ids) for _ in range(choices)], dtype=np.int64)
        best = 0
        if position >= width:
            context = hasher.contexts(np.array([*written, 0]), np.array([position]))
            own = hasher.seeds(context)
            seeds = np.repeat(
                own if encoder is None else encoder.seeds(own, message, hasher.key), choices, axis=0
            )
            best = int(np.argmax(hasher.draws(seeds, candidates) @ np.array(law.parts)))
        written.append(int(candidates[best]))
    return watermark.tokens.decode(written)
