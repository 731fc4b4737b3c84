"""``stela profile import --vllm`` and ``--sglang``: the profile, its key, and what is refused."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from stela_interop.foreign_engines import read_sglang, read_vllm
from stela_interop.profile_import import READERS, read_one
from stela_testing import assert_refused, run_cli

import stela_core as stela
from stela_core import Registry
from stela_core.registry.manager import create_plugins

SECRET = "5eed5eed5eed5eed"


def refused(option: str, content: Any) -> stela.StelaError:
    given = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(stela.StelaError) as caught:
        READERS[option](given)
    assert "\n" not in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("option", "content", "expected"),
    [
        ("--vllm", {}, "holds no key"),
        ("--vllm", {"alpha": 0.2}, "holds no key"),
        ("--vllm", '{"key":', "is not JSON"),
        ("--vllm", {"key": "42"}, "the key is not an integer of 64 bits"),
        ("--vllm", {"key": True}, "the key is not an integer of 64 bits"),
        ("--vllm", {"key": -1}, "the key is not an integer of 64 bits"),
        ("--vllm", {"key": 2**64}, "the key is not an integer of 64 bits"),
        ("--vllm", {"key": 1, "algorithm": "synthid"}, 'algorithm "synthid" is not reproduced'),
        ("--vllm", {"key": 1, "algorithm": "\x1b[2J"}, 'algorithm "\\x1b[2J" is not reproduced'),
        ("--vllm", {"key": 1, "algorithm": "gumbel_dual_key"}, "TensorRT-LLM's, which is not reproduced"),
        (
            "--vllm",
            {"key": 1, "algorithm": 7},
            "algorithm: input should be 'gumbel', 'dual_key_gumbel' or 'synthid_text'",
        ),
        ("--vllm", {"key": 1, "prf": "philox2"}, "prf: input should be 'philox'"),
        ("--vllm", {"key": 1, "context_width": 0}, "context_width"),
        ("--vllm", {"key": 1, "context_width": 10**9}, "context_width"),
        ("--vllm", {"key": 1, "deduplicate_contexts": "some"}, "deduplicate_contexts"),
        ("--vllm", {"key": 1, "algorithm": "dual_key_gumbel", "alpha": 1}, "alpha"),
        ("--vllm", {"key": 1, "algorithm": "synthid_text", "depth": 65}, "depth"),
        ("--vllm", {"key": 1, "version": 2}, '"version" is not a setting'),
        ("--vllm", {"key": "2a", "key_b": "2b"}, "SGLang's, which --vllm does not read"),
        ("--sglang", {}, "holds no key"),
        ("--sglang", {"key": None, "context_window": 4}, "holds no key"),
        ("--sglang", {"key": 42}, "key is not 1 to 16 hex digits"),
        ("--sglang", {"key": ""}, "key is not 1 to 16 hex digits"),
        ("--sglang", {"key": "0x"}, "key is not 1 to 16 hex digits"),
        ("--sglang", {"key": "0" * 17}, "key is not 1 to 16 hex digits"),
        ("--sglang", {"key": "2a\n"}, "key is not 1 to 16 hex digits"),
        ("--sglang", {"key": "2a", "key_b": "no"}, "key_b is not 1 to 16 hex digits"),
        ("--sglang", {"key": "2a", "mixing_probability": 0.7}, "mixing_probability and one key"),
        ("--sglang", {"key": "2a", "key_b": "2b", "mixing_probability": 1}, "mixing_probability"),
        ("--sglang", {"key": "2a", "context_window": 65}, "context_window"),
        ("--sglang", {"key": "2a", "max_probability": 0}, "max_probability"),
        ("--sglang", {"key": "2a", "prf": "philox"}, "vLLM's, which --sglang does not read"),
        ("--sglang", {"key": "2a", "ngram": 3}, '"ngram" is not a setting'),
        ("--transformers", {"key": 1}, ""),
    ],
)
def test_what_is_refused(option: str, content: Any, expected: str, tmp_path: Path) -> None:
    if option == "--transformers":
        file = tmp_path / "c.json"
        file.write_text(json.dumps({"key_b": "2b"}))
        assert "SGLang's" in refused(option, str(file)).message
        return
    assert expected in refused(option, content).message


@pytest.mark.parametrize("option", ["--vllm", "--sglang"])
def test_no_error_repeats_a_key(option: str) -> None:
    for content in ({"key": SECRET + "q"}, {"key": SECRET, "key_b": SECRET + "q"}, {"key": [SECRET]}):
        assert SECRET not in str(refused(option, content))
    assert SECRET not in str(refused(option, f'{{"key": "{SECRET}" x'))


def test_files_and_json_are_read_alike(tmp_path: Path) -> None:
    content = {"key": 42, "algorithm": "dual_key_gumbel", "alpha": 0.3, "context_width": 2}
    file = tmp_path / "w.json"
    file.write_text(json.dumps(content))
    assert read_vllm(str(file)) == read_vllm(json.dumps(content))
    with pytest.raises(stela.StelaError, match="does not exist"):
        read_vllm(str(tmp_path / "none.json"))
    file.write_text(" " * (1 << 20) + "{}")
    with pytest.raises(stela.StelaError, match="larger than 1 MiB"):
        read_sglang(str(file))


def test_exactly_one_is_given() -> None:
    for given in ({}, {"--vllm": "{}", "--sglang": "{}"}):
        with pytest.raises(stela.StelaError, match="give one configuration") as caught:
            read_one(given)
        assert "--sglang" in caught.value.hint


def test_remarks_say_where_the_engine_does_otherwise() -> None:
    assert not read_vllm('{"key": 1}').remarks
    one = read_vllm('{"key": 1, "deduplicate_contexts": "all", "deduplicate_contexts_max_history": 512}')
    assert [part in remark for part, remark in zip(("first 4", "512"), one.remarks, strict=True)] == [
        True
    ] * 2


@pytest.mark.slow
def test_profiles_have_the_engines_key_and_settings(tmp_path: Path) -> None:
    pytest.importorskip("stela_gumbel")
    out = tmp_path / "p.stela"

    def imported(option: str, content: dict[str, Any]) -> stela.Watermark:
        command = ("profile", "import", option, json.dumps(content), "--model", "tiny", "--public-key")
        assert run_cli(*command, "-o", out, "--force").status == 0
        return stela.load(out)

    mark = imported("--vllm", {"key": 42, "context_width": 2, "deduplicate_contexts": "none"})
    assert (mark.profile.scheme.name, mark.profile.hasher.key) == ("gumbel-vllm", f"{42:016x}")
    assert mark.parts.hasher.context_width == 2
    assert not mark.parts.hasher.first_only
    mark = imported("--vllm", {"key": 42, "algorithm": "dual_key_gumbel", "alpha": 0.3})
    assert mark.parts.hasher.law.parts == (0.7, 0.3)
    mark = imported("--vllm", {"key": 42, "algorithm": "synthid_text", "depth": 20})
    assert (mark.profile.scheme.name, mark.parts.hasher.parameters.depth) == ("synthid-vllm", 20)
    mark = imported("--sglang", {"key": "0x2A", "max_probability": 0.9, "context_window": 3})
    assert (mark.profile.hasher.key, mark.parts.hasher.context_width) == (f"{42:016x}", 3)
    mark = imported("--sglang", {"key": "2a", "key_b": "DEADBEEF"})
    assert mark.profile.hasher.key == f"{42:016x}{0xDEADBEEF:016x}"
    assert mark.parts.hasher.key == 42 << 64 | 0xDEADBEEF


@pytest.mark.slow
def test_two_words_in_a_key_file_of_their_own(tmp_path: Path) -> None:
    pytest.importorskip("stela_gumbel")
    out, keys = tmp_path / "p.stela", tmp_path / "keys"
    content = json.dumps({"key": "2a", "key_b": SECRET})
    command = ("profile", "import", "--sglang", content, "--model", "tiny", "--key-file", keys)
    outcome = run_cli(*command, "-o", out)
    assert outcome.status == 0
    assert SECRET not in outcome.out + outcome.err
    assert SECRET.encode() not in out.read_bytes()
    assert keys.read_text().strip() == f"{42:016x}{SECRET}"
    assert stela.load(out, key=keys).parts.hasher.key == 42 << 64 | int(SECRET, 16)
    assert run_cli(*command, "-o", out, "--force").status == 0
    keys.write_text(f"{43:016x}{SECRET}\n")
    assert_refused(
        run_cli(*command, "-o", out, "--force"), "holds another key than the configuration", "32 hex digits"
    )
    with pytest.raises(stela.StelaError, match=r"2 words|32 hex digits"):
        stela.load(out, key=42)


@pytest.mark.slow
def test_without_the_plugin_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stela_models.tokenizer import load_tokenizer

    from stela_core.api import Settings

    installed = [e for e in entry_points(group="stela") if e.name in ("tiny", "models", "interop")]
    registry = Registry(create_plugins(installed=installed))
    foreign = read_vllm('{"key": 1}')
    settings = Settings(foreign.scheme, hasher=foreign.hasher, context_width=4)
    with pytest.raises(stela.StelaError) as caught:
        settings.create(registry, load_tokenizer(registry, "tiny"), 1, public=True)
    assert "pip install stela-gumbel" in caught.value.hint
