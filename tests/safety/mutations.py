"""Honest files, changed: in their bytes, or in what they say (with hashes made right, so that it is read)."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import struct
import zipfile
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import zstandard
from stela_tables.values import value_table_bytes

from stela_core.profile.archive import PROFILE, TABLE, TOKENIZER
from tests.safety import honest

KINDS = ("byte_level", "sentencepiece", "unigram")
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, 10**18, -(10**18), 0.5, 1e308, -0.0, 1e-320,
    "", "a", "\x00", "\x1b[2J", "가", "😀", "<unk>", "a" * 2000, "Sequence", "Replace", "ByteLevel",
    "Unigram", "WordPiece", "BPE", "Regex", "(", "(a+)+$", "[^x]*x", [], {}, [[]], {"type": "Sequence"},
    [0, 0], ["a", "b"],
)  # fmt: skip
STEPS: tuple[dict[str, Any], ...] = (
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "bb"},
    {"type": "Replace", "pattern": {"Regex": "a|"}, "content": "b"},
    {"type": "Precompiled", "precompiled_charsmap": "AAAAAAAA"},
    {"type": "Precompiled", "precompiled_charsmap": "BAAAAP////8AAAAA"},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Split", "pattern": {"Regex": "\\s+"}, "behavior": "Isolated", "invert": False},
    {"type": "Split", "pattern": {"String": ""}, "behavior": "Removed", "invert": True},
    {"type": "FixedLength", "length": 0},
    {"type": "Digits", "individual_digits": True},
    {"type": "UnicodeScripts"},
    {"type": "NFKD"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "StripAccents"},
    {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
     "lowercase": True},
    {"type": "CharDelimiterSplit", "delimiter": "ab"},
)  # fmt: skip
JUNK = (
    b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"[" * 2000, b"9" * 5000, b'"\\ud800"', b"NaN", b"-Infinity",
    b"1e999", b"\x1b]52;c;x\x07", b"\xef\xbb\xbf", b"{}", b'{"a":', b"\\", b'"',
)  # fmt: skip


def mutated(kind: str, rng: random.Random) -> bytes:
    """A changed file of a kind (see TARGETS)."""
    return MUTATORS[kind](rng)


def of_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut, doubled, overwritten with junk or numbers at their limits."""
    spoiled = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at, length = rng.randrange(len(spoiled) + 1), rng.choice((1, 2, 4, 8, 100))
        what = rng.randrange(6)
        if what == 0 and at < len(spoiled):
            spoiled[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del spoiled[at : at + length]
        elif what == 2:
            spoiled[at:at] = rng.choice(JUNK)
        elif what == 3:
            spoiled[at : at + 4] = struct.pack("<L", rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 10**8)))
        elif what == 4:
            spoiled[at:at] = spoiled[at : at + length]
        else:
            spoiled[at : at + length] = rng.randbytes(length)
    return bytes(spoiled)


def of_content(value: Any, rng: random.Random, times: int = 1) -> Any:
    """A JSON value with some parts of it replaced, left out, doubled or swapped."""
    value = deepcopy(value)
    for _ in range(times):
        places = list(_places(value))
        if not places:
            return rng.choice(ODD)
        inside, key = rng.choice(places)
        what = rng.randrange(6)
        if what < 3:
            inside[key] = deepcopy(rng.choice(ODD))
        elif what == 3:
            del inside[key]
        elif what == 4:
            inside[key] = deepcopy(_pick(value, rng))
        elif isinstance(inside, dict):
            inside[str(rng.choice(ODD))[:50]] = inside[key]
        else:
            inside.insert(key, deepcopy(inside[key]))
    return value


def _places(value: Any, budget: int = 400) -> list[tuple[Any, Any]]:
    """Places of a value; of long lists and objects the first and last ones alone."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(places) < budget:
        inside = waiting.pop(0)
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        for key in keys if len(keys) < 40 else [*keys[:8], *keys[-8:]]:
            places.append((inside, key))
            if isinstance(inside[key], (dict, list)):
                waiting.append(inside[key])
    return places


def _pick(value: Any, rng: random.Random) -> Any:
    inside, key = rng.choice(_places(value))
    return inside[key]


def as_json(value: Any, rng: random.Random) -> bytes:
    """Its bytes, at times with a key twice, or changed as bytes, too."""
    data = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    what = rng.random()
    if what < 0.05 and data.startswith(b"{"):
        data = data[:-1] + b"," + data[1:]
    return of_bytes(data, rng) if what > 0.9 else data


@cache
def _tokenizer(kind: str) -> dict[str, Any]:
    return honest.tokenizer_json(kind)


def tokenizer(rng: random.Random) -> bytes:
    """A changed ``tokenizer.json``."""
    content = deepcopy(_tokenizer(rng.choice(KINDS)))
    part = rng.choice(
        ("normalizer", "pre_tokenizer", "decoder", "post_processor", "model", "any", "any", "ids")
    )
    if part == "any":
        content = of_content(content, rng, rng.choice((1, 1, 2, 5)))
    elif part == "model":
        content["model"] = of_content(content["model"], rng, rng.choice((1, 2, 3)))
    elif part == "ids":
        vocabulary = content["model"]["vocab"]
        if isinstance(vocabulary, dict):
            for token in rng.sample(sorted(vocabulary), 3):
                vocabulary[token] = rng.choice((0, 1, 399, 400, 500, 70_000, 10**8, 2**32, -1))
                content["model"]["merges"] = content["model"]["merges"][: rng.randrange(5)]
        else:
            content["model"]["unk_id"] = rng.choice((None, 0, 5, 10**9))
            content["model"]["vocab"] = [*vocabulary[: rng.randrange(9)], ["", rng.choice((0, -1e300, 5))]]
    else:
        steps = [deepcopy(rng.choice(STEPS)) for _ in range(rng.choice((1, 1, 2, 3, 20)))]
        steps = [of_content(step, rng) if rng.random() < 0.3 else step for step in steps]
        key = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
        content[part] = {"type": "Sequence", key.get(part, "processors"): steps}
    return as_json(content, rng)


def table(rng: random.Random) -> bytes:
    """A changed table of counts or of values."""
    data = honest.count_table() if rng.random() < 0.6 else value_table_bytes(honest.value_table())
    content = json.loads(data)
    if rng.random() < 0.2:
        return of_bytes(data, rng)
    return as_json(of_content(content, rng, rng.choice((1, 1, 2, 4))), rng)


def profile(rng: random.Random) -> bytes:
    """A changed profile: its bytes, its zip, or one of its members."""
    scheme = rng.choice(("kgw", "kgw", "learned-text"))
    parts = dict(honest.members(scheme, rng.choice(KINDS)))
    what = rng.randrange(10)
    if what < 4:
        return honest.zipped(honest.sealed({**parts, TOKENIZER: tokenizer(rng)}))
    if what == 4 and TABLE in parts:
        return honest.zipped(honest.sealed({**parts, TABLE: table(rng)}))
    if what < 7:
        content = of_content(json.loads(parts[PROFILE]), rng, rng.choice((1, 1, 2, 3)))
        return honest.zipped({**parts, PROFILE: as_json(content, rng)})
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
    return of_headers(honest.zipped(parts, method), rng)


def of_headers(data: bytes, rng: random.Random) -> bytes:
    """A zip changed in its headers most of the time."""
    spoiled = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        signature, size = rng.choice(((b"PK\x01\x02", 60), (b"PK\x03\x04", 45), (b"PK\x05\x06", 22)))
        starts = [at for at in range(len(spoiled)) if spoiled[at : at + 4] == signature]
        if not starts or rng.random() < 0.2:
            spoiled = bytearray(of_bytes(bytes(spoiled), rng))
            continue
        at = rng.choice(starts) + rng.randrange(4, size)
        value = rng.choice((0, 1, 8, 12, 14, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, rng.randrange(1 << 16)))
        width = rng.choice((1, 2, 4))
        spoiled[at : at + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    return bytes(spoiled)


def corpus(rng: random.Random) -> bytes:
    """Changed lines, at times compressed and changed again."""
    lines = [
        as_json(of_content({"text": honest.TEXT, "id": 7}, rng), rng) for _ in range(rng.randrange(1, 4))
    ]
    return _compressed(b"\n".join(lines), rng)


def treebank(rng: random.Random) -> bytes:
    """A changed treebank."""
    return _compressed(of_bytes(honest.CONLLU.encode(), rng), rng)


def _compressed(data: bytes, rng: random.Random) -> bytes:
    ways: tuple[Callable[[bytes], bytes], ...] = (bytes, gzip.compress, lzma.compress, zstandard.compress)
    packed = rng.choice((bytes, *ways))(data)
    return of_bytes(packed, rng) if packed is not data and rng.random() < 0.5 else packed


def cell(rng: random.Random) -> bytes:
    """A changed file of a cell."""
    data = gzip.decompress(honest.cell())
    if rng.random() < 0.5:
        return of_bytes(honest.cell(), rng)
    return gzip.compress(as_json(of_content(json.loads(data), rng, 2), rng), 1)


def configuration(rng: random.Random) -> bytes:
    """A changed configuration of another toolkit."""
    return as_json(of_content(rng.choice(list(honest.CONFIGS.values())), rng, rng.choice((1, 2))), rng)


def key(rng: random.Random) -> bytes:
    """A changed key file."""
    return of_bytes(rng.choice((b"0123456789abcdef\n", "패스프레이즈 길게".encode(), b"a" * 40)), rng)


MUTATORS: dict[str, Callable[[random.Random], bytes]] = {
    "profile": profile,
    "table": table,
    "corpus": corpus,
    "treebank": treebank,
    "cell": cell,
    "configuration": configuration,
    "key": key,
}
SHARES = {"profile": 50, "table": 15, "corpus": 10, "treebank": 5, "cell": 8, "configuration": 8, "key": 4}
"""Of a hundred inputs."""
