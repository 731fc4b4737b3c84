"""Honest files of every kind that the project reads, small, for others to be made of."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from stela_run.cells.cell_file import packed
from stela_tables.counts import NgramCounts, TaggerIdentity
from stela_tables.table import IndeterminacyTable, table_bytes
from stela_tables.values import Learned, ValueTable, value_table_bytes
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from stela_core.files.fingerprint import sha256
from stela_core.profile.archive import PROFILE, TABLE, TOKENIZER
from stela_core.profile.create import Settings
from stela_core.registry.components import create_registry
from stela_core.text.tokenizer import canonical

TEXT = (
    "The history of the city is long, and its people read many books in the old library. "
    "한국의 역사는 오래되었고 그 문화는 다양하다. 🙂 1984, 20 %.\n\n\tnaïve café -- 這座城市的歷史很長。 "
)


def byte_level() -> Tokenizer:
    """As GPT-2's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.TemplateProcessing("<s> $A", None, [("<s>", 0)])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "<end>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([TEXT] * 3, trainer)
    return made


def byte_level_split(pattern: str) -> Tokenizer:
    """As those of Llama 3, Qwen and GPT-4: cut by a regular expression of their own."""
    made = byte_level()
    from tokenizers import Regex

    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return made


def sentencepiece() -> Tokenizer:
    """As those of Llama 2 and Gemma: BPE over characters, bytes for what it does not know."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    pieces += [*dict.fromkeys("▁" + "".join(sorted(set("The history of the city is long, and its"))).strip())]
    pieces += ["th", "▁th", "▁the", "is", "▁is"]
    vocabulary = {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}
    merges = [("t", "h"), ("▁", "th"), ("▁th", "e"), ("i", "s"), ("▁", "is")]
    made = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return made


def unigram() -> Tokenizer:
    """As those of T5 and XGLM."""
    letters = sorted(set(TEXT.replace(" ", "▁")))
    pieces = [("<unk>", 0.0), *((f"<0x{byte:02X}>", -9.0) for byte in range(256))]
    pieces += [*((letter, -5.0) for letter in letters), ("▁the", -2.0), ("▁of", -2.5)]
    made = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return made


@cache
def members(scheme: str = "kgw", kind: str = "byte_level") -> dict[str, bytes]:
    """The members of an honest profile; ``learned`` has a table of values."""
    tokenizer = {"byte_level": byte_level, "sentencepiece": sentencepiece, "unigram": unigram}[kind]()
    table = value_table_bytes(value_table()) if scheme == "learned-text" else None
    created = Settings(scheme, language="en").create(create_registry(), tokenizer, 99, True, table=table)
    archive = created.archive
    parts = {PROFILE: archive.profile.to_json(), TOKENIZER: archive.tokenizer}
    return parts if archive.table is None else {**parts, TABLE: archive.table}


def sealed(parts: Mapping[str, bytes], changes: Mapping[str, Any] | None = None) -> dict[str, bytes]:
    """Members whose profile names the hashes that tokenizer and table have."""
    try:
        profile = json.loads(parts[PROFILE]) | dict(changes or {})
    except (ValueError, TypeError, KeyError):
        return dict(parts)
    profile["tokenizer_sha256"] = sha256(parts.get(TOKENIZER, b""))
    if TABLE in parts:
        profile["table_sha256"] = sha256(parts[TABLE])
    return {**parts, PROFILE: json.dumps(profile).encode()}


def zipped(parts: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method, compresslevel=1) as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return buffer.getvalue()


def tokenizer_json(kind: str = "byte_level") -> dict[str, Any]:
    """The content of a ``tokenizer.json``."""
    made = {"byte_level": byte_level, "sentencepiece": sentencepiece, "unigram": unigram}[kind]()
    content: dict[str, Any] = json.loads(canonical(made))
    return content


@cache
def count_table() -> bytes:
    """An indeterminacy table."""
    identity = TaggerIdentity("plain", "m", "1", "f" * 16, "tags", "en")
    rng = np.random.default_rng(1)
    tags = ["ADJ", "DET", "NOUN", "VERB"]
    counts = {tuple(rng.choice(tags, 3)): int(rng.integers(1, 50)) for _ in range(40)}
    from collections import Counter

    corpora = {name: NgramCounts(3, 3000, Counter(counts)) for name in ("a", "b")}
    return table_bytes(IndeterminacyTable.from_counts(3, identity, corpora))


def value_table() -> ValueTable:
    """A table of values."""
    values = {"": 500, "e": 250, "the": 900, " ": 100, "가": 300}
    return ValueTable(
        "expected-gain", "characters", 8, values, 400, Learned("tiny", ("c",), 3, 900, "t 0.7"), "en"
    )


def cell() -> bytes:
    """The file of a cell of a run."""
    result = {"texts": [TEXT], "token_ids": [[1, 2, 3]], "scores": {"200": [[0.5, 1.5, 3]]}}
    return packed("x", result)


CONLLU = "# newdoc id = a\n" + "".join(
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tcity\tcity\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
    for _ in range(5)
)
CONFIGS: dict[str, dict[str, Any]] = {
    "transformers": {"watermarking_config": {"greenlist_ratio": 0.25, "bias": 2.0, "hashing_key": 15485863}},
    "lm-watermarking": {"gamma": 0.25, "delta": 2.0, "seeding_scheme": "ff-additive_prf-1-False-15485863"},
    "markllm": {
        "algorithm_name": "KGW",
        "gamma": 0.5,
        "delta": 2.0,
        "hash_key": 15485863,
        "prefix_length": 1,
        "f_scheme": "time",
        "window_scheme": "left",
        "z_threshold": 4.0,
    },
}
