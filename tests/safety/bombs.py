"""Small files that would take gigabytes, minutes or the process, each of its kind (see TARGETS)."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import zstandard
from stela_tables.file import MAX_TAGS

from stela_core.profile.archive import PROFILE, TABLE, TOKENIZER
from tests.safety import honest

MEGA = 1 << 20
T = TypeVar("T")
Bomb = tuple[str, Callable[[], bytes]]
"""Kind, and what makes the file."""


READ = {"tokenizer: padding to 1e8", "table: the largest that is read"}
"""Those that are read, and cost little: padding is dropped, and the table is the largest there may be."""


def bombs() -> dict[str, Bomb]:
    """All bombs by name."""
    named: dict[str, Bomb] = {}
    for name, tokenizer in dict(_tokenizers()).items():
        named[f"tokenizer: {name}"] = ("profile", _of(_with_tokenizer, tokenizer))
    for name, table in dict(_tables()).items():
        named[f"table: {name}"] = ("table", table)
        named[f"profile's table: {name}"] = ("profile", _of(_with_table, table))
    return {**named, **_zips(), **_profiles(), **_corpora(), **_others()}


def _of(wrapped: Callable[[T], bytes], make: Callable[[], T]) -> Callable[[], bytes]:
    return lambda: wrapped(make())


def _with_tokenizer(data: bytes | dict[str, Any]) -> bytes:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return honest.zipped(honest.sealed({**honest.members(), TOKENIZER: content}))


def _with_table(data: bytes) -> bytes:
    return honest.zipped(honest.sealed({**honest.members("learned-text"), TABLE: data}))


def _tokenizers() -> Iterator[tuple[str, Callable[[], bytes | dict[str, Any]]]]:
    def changed(**parts: Any) -> Callable[[], dict[str, Any]]:
        return lambda: {**honest.tokenizer_json(), **parts}

    def model(**fields: Any) -> Callable[[], dict[str, Any]]:
        def made() -> dict[str, Any]:
            content = honest.tokenizer_json()
            content["model"] = {**content["model"], **fields}
            return content

        return made

    def a_token(index: int) -> Callable[[], dict[str, Any]]:
        vocabulary = honest.tokenizer_json()["model"]["vocab"]
        return model(vocab={**vocabulary, "far": index})

    double = {"type": "Replace", "pattern": {"String": "e"}, "content": "ee"}
    twice = {"Sequence": {"id": "A", "type_id": 0}}
    added = {"id": 10**8, "content": "far", "single_word": False, "lstrip": False, "rstrip": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    split = {"type": "Split", "behavior": "Isolated", "invert": False}
    yield "an id of 1e8", a_token(10**8)
    yield "an id of 2^32 - 1", a_token(2**32 - 1)
    yield (
        "an added token's id of 1e8",
        changed(added_tokens=[{**added, "normalized": False, "special": True}]),
    )
    yield (
        "padding to 1e8",
        changed(
            padding={
                "strategy": {"Fixed": 10**8},
                "direction": "Right",
                "pad_to_multiple_of": None,
                "pad_id": 0,
                "pad_type_id": 0,
                "pad_token": "x",
            }
        ),
    )
    yield "doubling 40 times", changed(normalizer={"type": "Sequence", "normalizers": [double] * 40})
    yield (
        "byte-level 20 times",
        changed(normalizer={"type": "Sequence", "normalizers": [{"type": "ByteLevel"}] * 20}),
    )
    yield (
        "byte-level 14 times before the model",
        changed(pre_tokenizer={"type": "Sequence", "pretokenizers": [byte_level] * 14}),
    )
    for pattern in ("(a*)*b", "e|", "(e|ee)+$"):
        replace = {"type": "Replace", "pattern": {"Regex": pattern}, "content": "ee"}
        yield f"replacing {pattern}", changed(normalizer=replace)
    for pattern in (
        r"(\w+\s?)+$",
        r"([\s\S]*)*x",
        r"[\s\S]*[\s\S]*[\s\S]*x",
        "(?:a?){60}a{60}",
        r"(.*)\1(.*)\2",
    ):
        yield f"splitting at {pattern}", changed(pre_tokenizer={**split, "pattern": {"Regex": pattern}})
    template = {"type": "TemplateProcessing", "single": [twice] * 60, "pair": [], "special_tokens": {}}
    yield (
        "a template of 60^5 texts",
        changed(post_processor={"type": "Sequence", "processors": [template] * 5}),
    )
    yield (
        "a character map that is none",
        changed(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
    )
    yield "64 MB of lists", lambda: b"[" + b"[]," * (21 * MEGA) + b"[]]"
    yield "64 MB of objects", lambda: b"[" + b'{"a":1},' * (7 * MEGA) + b"1]"
    yield "60 MB of one string", lambda: b'["' + "😀".encode() + b"a" * (60 * MEGA) + b'"]'
    yield "60 MB of strings with quotes", lambda: b'["' + ("😀" + "a" * 1000 + '\\"').encode() * 61000 + b'"]'
    yield "3 million tokens", lambda: _many_tokens(3_000_000)
    yield "a million tokens", lambda: _many_tokens(1_000_000)
    yield "nested 100,000 deep", lambda: b"[" * 100_000
    yield (
        "a number of 5,000 digits",
        lambda: json.dumps(honest.tokenizer_json()).encode()[:-1] + (b',"more":' + b"9" * 5000 + b"}"),
    )


def _many_tokens(count: int) -> bytes:
    content = honest.tokenizer_json()
    content["model"]["vocab"] = "HERE"
    vocabulary = ",".join(f'"{index:x}":{index}' for index in range(count))
    return json.dumps(content).replace('"HERE"', "{" + vocabulary + "}").encode()


def _tables() -> Iterator[tuple[str, Callable[[], bytes]]]:
    yield "16 MB of lists", lambda: b'{"format":"stela-table/1","k":[' + b"[]," * (5 * MEGA) + b"1]}"
    yield "16 MB of objects", lambda: b'{"format":"stela-values/1","values":[' + b"{}," * (5 * MEGA) + b"1]}"
    yield "100 MB of spaces", lambda: b" " * (100 * MEGA)
    yield "nested 100,000 deep", lambda: b'{"format":' + b"[" * 100_000
    yield (
        "a count of 5,000 digits",
        lambda: honest.count_table().replace(b",1,", b"," + b"9" * 5000 + b",", 1),
    )
    yield "contexts without end", lambda: _wide_table(500_000)
    yield "the largest that is read", lambda: _wide_table(MAX_TAGS // 3)


def _wide_table(contexts: int) -> bytes:
    content = json.loads(honest.count_table())
    content["tags"] = [f"t{index:04d}" for index in range(1000)]
    content["corpora"] = [
        {
            "name": "c",
            "documents": 1,
            "tags": 10**9,
            "counts": {f"{n // 1000} {n % 1000}": [1, 1] for n in range(contexts)},
        }
    ]
    return json.dumps(content, separators=(",", ":")).encode()


def _zips() -> dict[str, Bomb]:
    def large(name: str, megabytes: int) -> Callable[[], bytes]:
        def made() -> bytes:
            buffer = io.BytesIO()
            with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target:
                for member, data in honest.members().items():
                    if member != name:
                        target.writestr(member, data)
                with target.open(name, "w") as file:
                    for _ in range(megabytes):
                        file.write(b" " * MEGA)
            return buffer.getvalue()

        return made

    def lying() -> bytes:
        """A member that says it has 10 bytes, in both of its headers."""
        data = bytearray(large(TOKENIZER, 100)())
        for signature, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
            start = data.rfind(signature) if signature == b"PK\x01\x02" else data.find(signature)
            while start >= 0:
                name = data[start + (46 if at == 24 else 30) :][: len(TOKENIZER)]
                if name == TOKENIZER.encode():
                    data[start + at : start + at + 4] = struct.pack("<L", 10)
                    break
                start = data.find(signature, start + 1) if at == 22 else data.rfind(signature, 0, start)
        return bytes(data)

    def methods(method: int) -> Callable[[], bytes]:
        return lambda: honest.zipped(honest.members(), method)

    def directory() -> bytes:
        entry = b"PK\x01\x02" + bytes(24) + struct.pack("<HHH", 1, 0, 0) + bytes(12) + b"a"
        entries = entry * (60 * MEGA // len(entry))
        return entries + b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 9, 9, len(entries), 0, 0)

    return {
        "zip: a tokenizer of 600 MB": ("profile", large(TOKENIZER, 600)),
        "zip: a profile.json of 50 MB": ("profile", large(PROFILE, 50)),
        "zip: a size that is a lie": ("profile", lying),
        "zip: LZMA": ("profile", methods(zipfile.ZIP_LZMA)),
        "zip: bzip2": ("profile", methods(zipfile.ZIP_BZIP2)),
        "zip: a million members": ("profile", directory),
        "zip: 200 MB of zeros": ("profile", lambda: bytes(200 * MEGA)),
    }


def _profiles() -> dict[str, Bomb]:
    def changed(**fields: Any) -> Callable[[], bytes]:
        return lambda: honest.zipped(honest.sealed(honest.members(), fields))

    def raw(data: bytes) -> Callable[[], bytes]:
        return lambda: honest.zipped({**honest.members(), PROFILE: data})

    hasher = {
        "name": "interop-lefthash",
        "gamma": 0.5,
        "context_width": 1,
        "key_id": "00000000",
        "parameters": {"vocab_size": 1 << 24},
    }
    return {
        "profile: a vocabulary of 1e18": ("profile", changed(vocab_size=10**18)),
        "profile: a hasher's vocabulary of 2^24": ("profile", changed(hasher=hasher)),
        "profile: nested 10,000 deep": ("profile", raw(b'{"a":' + b"[" * 10_000)),
        "profile: a number of 5,000 digits": ("profile", raw(b'{"alpha":' + b"1" * 5000 + b"}")),
        "profile: a million values": ("profile", raw(b"[" + b"[]," * 300_000 + b"1]")),
    }


def _corpora() -> dict[str, Bomb]:
    def line() -> bytes:
        return b'{"text": "' + b"a" * (60 * MEGA) + b'"}\n'

    word = b"1\tw\tw\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    return {
        "corpus: a line of 60 MB, gz": ("corpus", lambda: gzip.compress(line(), 1)),
        "corpus: a line of 60 MB, xz": ("corpus", lambda: lzma.compress(line(), preset=0)),
        "corpus: a line of 1 GB, zst": ("corpus", lambda: zstd_zeros(1024)),
        "corpus: a window of 1.5 GB, xz": (
            "corpus",
            wide_window,
        ),
        "corpus: nested 100,000 deep": ("corpus", lambda: b'{"text": ' + b"[" * 100_000),
        "corpus: a number of 5,000 digits": ("corpus", lambda: b'{"n": ' + b"1" * 5000 + b', "text": "a"}'),
        "corpus: 15 MB of lists": ("corpus", lambda: b'{"text": [' + b"[]," * (5 * MEGA) + b"1]}"),
        "treebank: a sentence of 300,000 words": (
            "treebank",
            lambda: b"".join(b"%d" % (n + 1) + word[1:] for n in range(300_000)),
        ),
        "treebank: a line of 60 MB": ("treebank", lambda: gzip.compress(bytes(60 * MEGA), 1)),
        "treebank: an ID of 5,000 digits": ("treebank", lambda: b"9" * 5000 + word[1:]),
    }


def wide_window() -> bytes:
    """A stream whose header asks for a window of 1.5 GiB."""
    data = bytearray(lzma.compress(b"a" * 1000, preset=0))
    block = data[12 : 12 + (data[12] + 1) * 4]
    at = block.index(b"\x21\x01") + 2
    block[at] = 37  # 3 << 29 bytes
    block[-4:] = struct.pack("<L", zlib.crc32(block[:-4]))
    data[12 : 12 + len(block)] = block
    return bytes(data)


def zstd_zeros(megabytes: int) -> bytes:
    """Zeros as blocks of one repeated byte, 128 KiB in four bytes."""
    start = zstandard.compress(b"")[:4] + bytes([0x00, 0x38])  # no content size, a window of 128 KiB
    block = struct.pack("<L", 1 << 1 | (1 << 17) << 3)[:3] + b"a"
    last = struct.pack("<L", 1)[:3]
    return start + block * (megabytes * 8) + last


def _others() -> dict[str, Bomb]:
    return {
        "cell: 150 MB, gz": ("cell", lambda: gzip.compress(bytes(150 * MEGA), 1)),
        "cell: 60 MB of lists": ("cell", lambda: gzip.compress(b"[" + b"[]," * (20 * MEGA) + b"1]", 1)),
        "cell: nested 100,000 deep": ("cell", lambda: gzip.compress(b"[" * 100_000)),
        "cell: a number of 5,000 digits": ("cell", lambda: gzip.compress(b'{"a":' + b"1" * 5000 + b"}")),
        "configuration: 100 MB": ("configuration", lambda: b" " * (100 * MEGA)),
        "configuration: nested 100,000 deep": ("configuration", lambda: b"[" * 100_000),
        "configuration: a number of 5,000 digits": (
            "configuration",
            lambda: b'{"hash_key":' + b"1" * 5000 + b"}",
        ),
    }
