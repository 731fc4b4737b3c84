"""Tokenizers of strangers: honest ones of every family load, what could end the process is refused."""

from __future__ import annotations

import base64
import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers

import stela_core as stela
from stela_core.text.known_patterns import KNOWN_PATTERNS
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import canonical, parse_tokenizer, tokenizer_errors
from tests.safety import honest

TEXT = honest.TEXT


def gemma() -> Tokenizer:
    """No pre-tokenizer, spaces written as a sign, bytes for what is not known."""
    made = honest.sentencepiece()
    made.normalizer = normalizers.Replace(" ", "▁")
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return made


def gpt_neox() -> Tokenizer:
    made = honest.byte_level()
    made.normalizer = normalizers.NFC()
    made.add_tokens(["  ", "    "])
    return made


def starcoder() -> Tokenizer:
    made = honest.byte_level()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return made


FAMILIES: dict[str, Callable[[], Tokenizer]] = {
    "GPT-2": honest.byte_level,
    "GPT-NeoX": gpt_neox,
    "StarCoder": starcoder,
    "Llama 2": honest.sentencepiece,
    "Gemma": gemma,
    "XGLM": honest.unigram,
    **{
        name: lambda pattern=KNOWN_PATTERNS[name]: honest.byte_level_split(pattern)
        for name in ("Llama 3", "Qwen", "cl100k", "o200k", "Tekken", "DeepSeek V3")
    },
}


@pytest.mark.parametrize("family", FAMILIES)
def test_honest_tokenizers_load_and_cut_as_before(family: str) -> None:
    made = FAMILIES[family]()
    made.enable_padding(length=50)
    made.enable_truncation(5)
    found = parse_tokenizer(made.to_str().encode(), "a profile")
    assert found.padding is None
    assert found.truncation is None
    assert canonical(found) == canonical(made)
    made.no_padding()
    made.no_truncation()
    ids = found.encode(TEXT, add_special_tokens=False).ids
    assert ids == made.encode(TEXT, add_special_tokens=False).ids
    assert len(ids) > 50
    if family not in ("XGLM", "GPT-NeoX"):  # their normalizers change the text
        assert TokenBytes.of(found).decode(ids) == TEXT


def test_the_tokenizers_that_ship_with_the_project_load() -> None:
    from stela_tiny import Tiny

    data = (Path(Tiny.location()) / "tokenizer.json").read_bytes()
    assert canonical(parse_tokenizer(data, "tiny")) == canonical(Tokenizer.from_buffer(data))


def test_a_file_that_does_not_name_its_model_loads() -> None:
    content = honest.tokenizer_json()
    del content["model"]["type"]
    assert parse_tokenizer(json.dumps(content).encode(), "x").get_vocab_size() == 400


def test_merges_of_old_are_strings_with_a_first_line_of_their_own() -> None:
    content = honest.tokenizer_json()
    merges = [" ".join(pair) for pair in content["model"]["merges"]]
    content["model"]["merges"] = ["#version: 0.2", *merges]
    read_from = parse_tokenizer(json.dumps(content).encode(), "x")
    assert canonical(read_from) == canonical(honest.byte_level())


def test_a_sentencepiece_character_map_loads() -> None:
    """That of a real model is checked in full by the library; here are its bounds."""
    content = honest.tokenizer_json("unigram")
    content["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": charsmap(b"a\0bc\0")}
    parse_tokenizer(json.dumps(content).encode(), "x")


def test_the_character_map_of_a_real_model_loads() -> None:
    """NFKC as SentencePiece writes it into every model: 240 kB."""
    library = pytest.importorskip("sentencepiece")
    protocol = pytest.importorskip("sentencepiece.sentencepiece_model_pb2")
    written = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT] * 9),
        model_writer=written,
        vocab_size=200,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    model = protocol.ModelProto()
    model.ParseFromString(written.getvalue())
    content = honest.tokenizer_json("unigram")
    encoded = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    content["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": encoded}
    found = parse_tokenizer(json.dumps(content).encode(), "x")
    assert found.normalizer.normalize_str("ﬁne Ａ") == "fine A"


def charsmap(texts: bytes, size: int | None = None, trie: bytes | None = None) -> str:
    trie = bytes(4 * 256) if trie is None else trie
    return base64.b64encode(struct.pack("<L", len(trie) if size is None else size) + trie + texts).decode()


def replace(content: str, **pattern: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def steps(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "normalizers": list(parts)}


def template(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {"type": "TemplateProcessing", "single": list(pieces), "pair": [], "special_tokens": {}}


A = {"Sequence": {"id": "A", "type_id": 0}}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
ADDED = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"model": None}, "it has no model"),
    ({"model": {"type": "WordPiece", "vocab": {"a": 0}}}, "WordPiece"),
    ({"model": {"type": "BPE", "vocab": {}, "merges": []}}, "no vocabulary"),
    ({"model": {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}}, "the same id"),
    ({"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}}, "not a whole number"),
    ({"model": {"type": "BPE", "vocab": {"a": 1.0}, "merges": []}}, "not a whole number"),
    ({"model": {"type": "BPE", "vocab": {"a": 10**8}, "merges": []}}, "id 100000000 is too high"),
    ({"model": {"type": "BPE", "vocab": {"a" * 2000: 1}, "merges": []}}, "more than 1024 characters"),
    ({"model": {"type": "BPE", "vocab": {"a": 1}}}, "no merges"),
    ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "z"]]}}, "a merge makes no token"),
    ({"model": {"type": "BPE", "vocab": {"a": 0, "ab": 1}, "merges": [["a", "b"]]}}, "cannot be read"),
    # Joined they are longer than every token.
    ({"model": {"type": "BPE", "vocab": {"ab": 0, "c": 1}, "merges": [["ab", "c"]]}}, "a merge makes no"),
    ({"model": {"type": "BPE", "vocab": {"ab": 0, "c": 1}, "merges": ["ab c"]}}, "a merge makes no token"),
    ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a a a"]}}, "a merge makes no token"),
    ({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["#version", "1"]]}}, "a merge makes no token"),
    (
        {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "continuing_subword_prefix": "##"}},
        "continuing_subword_prefix",
    ),
    ({"model": {"type": "Unigram", "vocab": [["a", 0]], "unk_id": 9}}, "unk_id"),
    ({"model": {"type": "Unigram", "vocab": [["a", "b"]]}}, "a string with a number"),
    ({"added_tokens": [{**ADDED, "id": 10**8, "content": "x"}]}, "id 100000000 is too high"),
    ({"added_tokens": [{**ADDED, "id": 400, "content": "x" * 500}]}, "not a short string"),
    ({"normalizer": {"type": "Fantasy"}}, "Fantasy"),
    ({"normalizer": {}}, "no type"),
    ({"normalizer": replace("ee", String="e")}, "longer"),
    ({"normalizer": replace("ee", Regex="e")}, "longer"),
    ({"normalizer": replace("e", Regex="x*")}, "matches an empty text"),
    ({"normalizer": replace("e", Regex="(a+)+b")}, "follows another"),
    ({"normalizer": replace("e", String="")}, "is empty"),
    ({"normalizer": {"type": "Prepend", "prepend": "x" * 1000}}, "not a short string"),
    ({"normalizer": {"type": "Prepend", "prepend": ""}}, "an empty one"),
    ({"normalizer": steps({"type": "ByteLevel"}, {"type": "ByteLevel"})}, "twice"),
    ({"normalizer": steps(*[{"type": "NFC"}] * 17)}, "more than 16 steps"),
    ({"normalizer": {"type": "ByteLevel"}, "pre_tokenizer": BYTES}, "twice"),
    ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": None}}, "character map"),
    ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}, "corrupt"),
    ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap(b"a\0", 8000)}}, "corrupt"),
    ({"normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap(b"a" * 999)}}, "64 bytes"),
    (
        {
            "normalizer": {
                "type": "Precompiled",
                "precompiled_charsmap": charsmap(b"a\0", trie=b"\xff\xff\xff\x7f" * 256),
            }
        },
        "corrupt",
    ),
    (
        # The root says that it is a value: the library looks for its children all the same.
        {
            "normalizer": {
                "type": "Precompiled",
                "precompiled_charsmap": charsmap(b"a\0", trie=b"\xff\xff\xff\xff" + bytes(4 * 255)),
            }
        },
        "corrupt",
    ),
    ({"pre_tokenizer": {"type": "FixedLength", "length": 0}}, "FixedLength"),
    ({"pre_tokenizer": {"type": "Metaspace", "replacement": "ab"}}, "not a character"),
    ({"post_processor": template(A, A)}, "repeats the text"),
    ({"post_processor": template({"SpecialToken": {"id": "x", "type_id": 0}})}, "token of a template"),
    ({"decoder": {"type": "Fantasy"}}, "Fantasy"),
    ({"truncation": 3, "padding": 3, "version": 9}, "cannot be read"),
]


@pytest.mark.parametrize(("changes", "expected"), REFUSED)
def test_what_is_refused(changes: dict[str, Any], expected: str, capfd: pytest.CaptureFixture[str]) -> None:
    data = json.dumps(honest.tokenizer_json() | changes).encode()
    with pytest.raises(stela.StelaError, match=expected):
        parse_tokenizer(data, "the profile")
    assert "panicked" not in capfd.readouterr().err


def test_a_key_twice_does_not_hide_a_part() -> None:
    """The library and our parser need not take the same one of two; what the library took is looked at."""
    content = honest.tokenizer_json()
    doubling = json.dumps(steps(replace("ee", String="e")))
    del content["normalizer"]
    rest = json.dumps(content)[1:]
    for data in (
        f'{{"normalizer": {doubling}, "normalizer": null, {rest}',
        f'{{"normalizer": {doubling}, {rest}',
    ):
        try:
            found = parse_tokenizer(data.encode(), "x")
        except stela.StelaError:
            continue
        assert found.normalizer is None


def test_panics_become_errors(registry: stela.Registry, tmp_path: Path) -> None:
    content = honest.tokenizer_json()
    content["model"] |= {"continuing_subword_prefix": "##"}
    with (
        pytest.raises(stela.StelaError, match="it cannot be read: "),
        tokenizer_errors("it cannot be read", "hint"),
    ):
        Tokenizer.from_str(json.dumps(content))
    # This one only fails when it cuts a text.
    lazy = honest.tokenizer_json() | {"pre_tokenizer": {"type": "FixedLength", "length": 0}}
    path = tmp_path / "p.stela"
    path.write_bytes(honest.zipped(honest.members()))
    watermark = stela.load(path, registry=registry)
    watermark.detector._tokenizer = Tokenizer.from_str(json.dumps(lazy))
    with pytest.raises(stela.StelaError, match="the tokenizer fails on a text"):
        watermark.detect(TEXT)


def test_interrupts_pass() -> None:
    with pytest.raises(KeyboardInterrupt), tokenizer_errors("it", "hint"):
        raise KeyboardInterrupt


def test_a_pattern_of_no_known_model_is_refused_where_nothing_examines_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, known = (
        honest.byte_level_split(pattern).to_str() for pattern in (r"\p{L}+|\d", KNOWN_PATTERNS["Qwen"])
    )
    assert parse_tokenizer(own.encode(), "x").to_str() == own
    monkeypatch.setattr("stela_core.text.known_patterns.lent", lambda name: None)
    assert parse_tokenizer(known.encode(), "x").to_str() == known
    with pytest.raises(stela.StelaError, match="Split is refused: no known model has it"):
        parse_tokenizer(own.encode(), "x")
