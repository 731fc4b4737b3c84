"""``stela profile import``: what is assert_refused, and why; the key."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from stela_interop.foreign_synthid import read_transformers
from stela_testing import assert_refused, run_cli

import stela_core as stela

KGW = {
    "algorithm_name": "KGW",
    "gamma": 0.5,
    "delta": 2.0,
    "hash_key": 15485863,
    "prefix_length": 1,
    "z_threshold": 4.0,
    "f_scheme": "time",
    "window_scheme": "left",
}
"""MarkLLM's config/KGW.json."""

PUBLIC = "--public-key"


def config(folder: Path, content: Any) -> Path:
    file = folder / "config.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_deepmind_default_configuration_is_read(tmp_path: Path) -> None:
    """Of the package synthid-text: it names a device."""
    content = {
        "ngram_len": 5,
        "keys": [654, 400, 836],
        "context_history_size": 1024,
        "device": "cuda:0",
        "sampling_table_size": 65536,
        "sampling_table_seed": 0,
        "skip_first_ngram_calls": False,
        "debug_mode": False,
    }
    foreign = read_transformers(config(tmp_path, content))
    assert (foreign.hasher, foreign.context_width, foreign.words) == ("synthid", 4, 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("toolkit", "content", "expected"),
    [
        ("transformers", "{", ["is not JSON"]),
        ("transformers", "[1]", ["holds no watermark's settings"]),
        ("transformers", {"watermarking_config": None}, ["holds no watermark's settings"]),
        (
            "transformers",
            {"eos_token_id": [2, 3], "do_sample": True, "transformers_version": "4.46.0"},
            ['holds no watermark: it has no "watermarking_config"'],
        ),
        ("vllm", {"temperature": 0.7, "top_k": 50}, ["holds no watermark"]),
        (
            "transformers",
            {"watermarking_config": {"ngram_len": 5, "keys": [1], "ngram_length": 4}},
            ['did you mean "ngram_len"?'],
        ),
        (
            "transformers",
            {"watermarking_config": {"stela_profile": {}}},
            ["STELA profile's own", ".stela file"],
        ),
        (
            "transformers",
            KGW,
            ["is MarkLLM's KGW, which --transformers does not read", "give it with --markllm"],
        ),
        ("markllm", {"ngram_len": 5, "keys": [1]}, ["transformers' SynthIDTextW", "with --transformers"]),
        ("transformers", {"ngram_len": 5}, ["keys: field required"]),
        ("transformers", {"keys": [1, 2]}, ["ngram_len: field required"]),
        ("transformers", {"ngram_len": 1, "keys": [1]}, ["ngram_len", "greater than or equal to 2"]),
        ("transformers", {"ngram_len": 5, "keys": []}, ["keys", "at least 1 item"]),
        ("transformers", {"ngram_len": 5, "keys": [1] * 65}, ["keys", "at most 64 items"]),
        ("transformers", {"ngram_len": 5, "keys": ["x"]}, ["keys.0", "valid integer"]),
        ("transformers", {"ngram_len": 5, "keys": [2**63]}, ["not a signed integer of 64 bits"]),
        ("transformers", {"ngram_len": 5, "keys": [7, 9, 65543]}, ["two keys are equal modulo", "one draw"]),
        ("transformers", {"ngram_len": 5, "keys": [7], "sampling_table_size": 65000}, ["powers of two"]),
        ("transformers", {"ngram_len": 5, "keys": [7], "sampling_table_size": 16}, ["sampling_table_size"]),
        ("transformers", {"ngram_len": 5, "keys": [7], "debug_mode": True}, ["debug_mode"]),
        ("markllm", {"greenlist_ratio": 0.5}, ["transformers' WatermarkingConfig", "with --transformers"]),
        ("markllm", {"gamma": 0.5, "hash_key": 1}, ["is lm-watermarking's", "with --lm-watermarking"]),
        (
            "lm-watermarking",
            {**KGW, "algorithm_name": "Unigram"},
            ["is MarkLLM's Unigram, which is not repr"],
        ),
        ("lm-watermarking", {**KGW, "algorithm_name": "SWEET"}, ["MarkLLM's SWEET", "with --markllm"]),
        ("lm-watermarking", {"prefix_length": 1}, ["is MarkLLM's", "with --markllm"]),
        ("markllm", {**KGW, "algorithm_name": "\x1b[2J" + "x" * 99}, ["MarkLLM's \\x1b[2Jxxx", "not repr"]),
        ("transformers", {"hashing_kye": 1}, ['did you mean "hashing_key"?']),
        ("transformers", {"greenlist_ratio": 1.0}, ["greenlist_ratio", "less than 1"]),
        ("transformers", {"hashing_key": -1}, ["hashing_key"]),
        ("transformers", {"hashing_key": 2**64}, ["hashing_key"]),
        ("transformers", {"seeding_scheme": "righthash"}, ["seeding_scheme", "'lefthash' or 'selfhash'"]),
        (
            "transformers",
            {"seeding_scheme": "selfhash", "context_width": 5},
            ["over 5 ids is not reproduced"],
        ),
        ("lm-watermarking", {"seeding_scheme": "skipgram"}, ['"skipgram" is not reproduced']),
        ("lm-watermarking", {"seeding_scheme": "ff-additive_prf-4-True"}, ["is not reproduced"]),
        ("lm-watermarking", {"select_green_tokens": False}, ["select_green_tokens"]),
        ("markllm", {**KGW, "algorithm_name": "Unigram"}, ["is MarkLLM's Unigram, which is not reproduced"]),
        ("markllm", {"algorithm_name": "EXPEdit", "key": 42}, ["is MarkLLM's EXPEdit, which is not repr"]),
        ("markllm", {**KGW, "window_scheme": "self"}, ["window_scheme", "'left'"]),
        ("markllm", {"gamma": 0.5}, ["algorithm_name: field required"]),
    ],
)
def test_settings_that_are_not_reproduced(
    tmp_path: Path, toolkit: str, content: Any, expected: list[str]
) -> None:
    out = tmp_path / "p.stela"
    file = config(tmp_path, content)
    outcome = run_cli("profile", "import", f"--{toolkit}", file, "--model", "tiny", PUBLIC, "-o", out)
    assert_refused(outcome, *expected)
    assert not out.exists()


def test_one_file_that_exists(tmp_path: Path) -> None:
    new = ("profile", "import", "--model", "tiny", PUBLIC, "-o", tmp_path / "p.stela")
    assert_refused(run_cli(*new), "give one configuration")
    assert_refused(run_cli(*new, "--markllm", "a", "--transformers", "b"), "give one configuration")
    assert_refused(run_cli(*new, "--markllm", tmp_path / "none.json"), "does not exist")
    file = config(tmp_path, KGW)
    assert_refused(
        run_cli(*new, "--markllm", file, "--vocab-size", 1), 'hasher "interop-markllm"', "vocab_size"
    )


def test_green_lists_of_another_device(tmp_path: Path) -> None:
    """Refused at import, and where a profile says so that someone else made."""
    out = tmp_path / "p.stela"
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", PUBLIC, "-o", out)
    assert_refused(
        run_cli(*new, "--device", "cuda:0"), 'made on "cuda:0" cannot be reproduced', "other numbers"
    )
    assert not out.exists()
    assert run_cli(*new).status == 0
    changed = tmp_path / "cuda.stela"
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"device": "cpu"', b'"device": "cuda"'))
    text = tmp_path / "text.txt"
    text.write_text("The history of the city.")
    assert_refused(run_cli("detect", "--profile", changed, text), 'made on "cuda" cannot be reproduced')


def test_whether_the_key_is_published_has_to_be_said(tmp_path: Path) -> None:
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny")
    out, key = tmp_path / "p.stela", tmp_path / "key"
    assert_refused(run_cli(*new, "-o", out), "either --key-file FILE or --public-key")
    assert_refused(
        run_cli(*new, PUBLIC, "--key-file", key, "-o", out), "either --key-file FILE or --public-key"
    )
    assert not out.exists()
    assert not key.exists()
    assert run_cli(*new, PUBLIC, "-o", out).out.endswith("(public)\n")
    shown = run_cli("profile", "show", out)
    assert "vocab_size = 8192" in shown.out
    assert "f_scheme = time" in shown.out
    assert "drawn on cpu" in shown.out
    assert f"public: {15485863:016x}" in shown.out


@pytest.mark.slow
def test_secret_key_is_kept_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STELA_KEY", raising=False)
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny")
    out, again, key, text = (tmp_path / name for name in ("p.stela", "q.stela", "key", "text.txt"))
    made = run_cli(*new, "--key-file", key, "-o", out)
    assert made.out.endswith("key without id (secret)\n")
    assert "a wrong one finds no mark and is not noticed" in made.err
    assert key.read_text() == f"{15485863:016x}\n"
    assert key.stat().st_mode & 0o077 == 0
    assert "without an id" in run_cli("profile", "show", out).out
    text.write_text("The history of the city.")
    assert_refused(run_cli("detect", "--profile", out, text), "is secret", "a wrong key is not noticed")
    assert run_cli("detect", "--profile", out, "--key-file", key, text).status == 0
    monkeypatch.setenv("STELA_KEY", f"{15485863:016x}")
    assert run_cli("detect", "--profile", out, text).status == 0
    # A file that holds this key will do, another one is not touched.
    assert run_cli(*new, "--key-file", key, "-o", again).status == 0
    key.write_text("0123456789abcdef")
    assert_refused(run_cli(*new, "--key-file", key, "-o", tmp_path / "r.stela"), "holds another key")
    assert key.read_text() == "0123456789abcdef"
    # Without a file the user sees to the key himself.
    assert run_cli(*new, "--secret-key", "--force", "-o", again).out.endswith("(secret)\n")
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.slow
def test_profile_of_a_secret_key_of_another_toolkit_does_not_depend_on_it(tmp_path: Path) -> None:
    """Such keys are small numbers: whatever depends on them tells a guesser when he is right."""
    files = []
    for key in (15485863, 42):
        folder = tmp_path / str(key)
        folder.mkdir()
        new = ("profile", "import", "--markllm", config(folder, {**KGW, "hash_key": key}), "--model", "tiny")
        assert run_cli(*new, "--key-file", folder / "key", "-o", folder / "p.stela").status == 0
        files.append((folder / "p.stela").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("way", ["--public-key", "--key-file"])
def test_an_import_is_a_stranger_s_until_it_is_trusted(tmp_path: Path, way: str) -> None:
    """Whoever wrote the configuration chose its key: writing it into a profile makes it nobody else's."""
    out, text, key = tmp_path / "p.stela", tmp_path / "text.txt", tmp_path / "key"
    text.write_text("The history of the city is long, and its people read many books in the old library.")
    given = (way,) if way == PUBLIC else (way, key)
    made = run_cli(
        "profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", *given, "-o", out
    )
    assert f"verdicts carry a caveat until stela profile trust {out}" in made.err
    assert "someone else" in run_cli("profile", "show", out).out
    test = ("detect", "--profile", out, *(() if way == PUBLIC else given), text, "--json")
    assert "by someone else" in run_cli(*test).json[0]["caveat"]
    assert run_cli("profile", "trust", out).status == 0
    assert run_cli(*test).json[0]["caveat"] is None
    assert "none (you made or trusted this profile)" in run_cli("profile", "show", out).out


def test_remarks_go_to_stderr(tmp_path: Path) -> None:
    file = config(tmp_path, {"seeding_scheme": "selfhash"})
    new = ("profile", "import", "--transformers", file, "--model", "tiny", PUBLIC)
    made = run_cli(*new, "-o", tmp_path / "p.stela")
    assert made.status == 0
    assert "does not depend on the context" in made.err
    assert len(made.out.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("toolkit", "content"), [("markllm", KGW), ("transformers", {"context_width": 2})])
def test_neither_import_nor_detection_needs_torch(tmp_path: Path, toolkit: str, content: Any) -> None:
    """As on a machine with ``pip install stela-core stela-interop`` alone."""
    program = """
import sys
for name in ("torch", "transformers", "numba"):
    sys.modules[name] = None
from stela_cli.main import run
sys.exit(run(sys.argv[1:]))
"""
    out, text = tmp_path / "p.stela", tmp_path / "text.txt"
    text.write_text("The history of the city is long, and its people read many books in the old library.")
    new = [
        "profile",
        "import",
        f"--{toolkit}",
        config(tmp_path, content),
        "--model",
        "tiny",
        PUBLIC,
        "-o",
        out,
    ]
    for command in (new, ["detect", "--profile", out, text, "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, command)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scored_tokens"] > 10


def test_hasher_of_a_profile_with_wrong_parameters(tmp_path: Path) -> None:
    out = tmp_path / "p.stela"
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", PUBLIC, "-o", out)
    assert run_cli(*new).status == 0
    changed = tmp_path / "changed.stela"
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"f_scheme": "time"', b'"f_schema": "time"'))
    with pytest.raises(stela.StelaError, match='hasher "interop-markllm" has no parameter "f_schema"'):
        stela.load(changed)
