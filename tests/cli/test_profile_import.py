"""``stela profile import``: what is refused, and why; the key. (Marks: plugins/stela-interop/tests.)"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import stela_core as stela
from tests.cli.conftest import Stela
from tests.cli.test_errors import check

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


def config(folder: Path, content: Any) -> Path:
    file = folder / "config.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("toolkit", "content", "expected"),
    [
        ("transformers", "{", ["is not JSON"]),
        ("transformers", "[1]", ["holds no watermark's settings"]),
        ("transformers", {"watermarking_config": None}, ["holds no watermark's settings"]),
        ("transformers", {"watermarking_config": {"ngram_len": 5, "keys": [1]}}, ['"keys" is not a setting']),
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
        ("markllm", {**KGW, "algorithm_name": "Unigram"}, ["algorithm_name", "'KGW'"]),
        ("markllm", {**KGW, "window_scheme": "self"}, ["window_scheme", "'left'"]),
        ("markllm", {"gamma": 0.5}, ["algorithm_name: field required"]),
    ],
)
def test_settings_that_are_not_reproduced(
    stela_: Stela, tmp_path: Path, toolkit: str, content: Any, expected: list[str]
) -> None:
    out = tmp_path / "p.stela"
    file = config(tmp_path, content)
    outcome = stela_("profile", "import", f"--{toolkit}", file, "--model", "tiny", "-o", out)
    check(outcome, *expected)
    assert not out.exists()


def test_one_file_that_exists(stela_: Stela, tmp_path: Path) -> None:
    new = ("profile", "import", "--model", "tiny", "-o", tmp_path / "p.stela")
    check(stela_(*new), "give one configuration")
    check(stela_(*new, "--markllm", "a", "--transformers", "b"), "give one configuration")
    check(stela_(*new, "--markllm", tmp_path / "none.json"), "cannot be read")
    file = config(tmp_path, KGW)
    check(stela_(*new, "--markllm", file, "--vocab-size", 1), 'hasher "interop-markllm"', "vocab_size")


def test_green_lists_of_another_device(stela_: Stela, tmp_path: Path) -> None:
    """Refused at import, and where a profile says so that someone else made."""
    out = tmp_path / "p.stela"
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", "-o", out)
    check(stela_(*new, "--device", "cuda:0"), 'made on "cuda:0" cannot be reproduced', "other numbers")
    assert not out.exists()
    assert stela_(*new).status == 0
    changed = tmp_path / "cuda.stela"
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"device": "cpu"', b'"device": "cuda"'))
    text = tmp_path / "text.txt"
    text.write_text("The history of the city.")
    check(stela_("detect", "--profile", changed, text), 'made on "cuda" cannot be reproduced')


def test_missing_plugin(stela_: Stela, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stela_core.registry.Registry.has", lambda *_: False)
    outcome = stela_(
        "profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", "-o", tmp_path / "p"
    )
    check(outcome, "interop-markllm", "pip install stela-interop")


def test_key_is_written_unless_it_shall_stay_secret(
    stela_: Stela, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STELA_KEY", raising=False)
    out = tmp_path / "p.stela"
    new = ("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", "-o", out)
    assert stela_(*new).out.endswith("(public)\n")
    shown = stela_("profile", "show", out)
    assert "vocab_size = 8192" in shown.out
    assert "f_scheme = time" in shown.out
    assert "drawn on cpu" in shown.out
    assert stela_(*new, "--secret-key").out.endswith("(secret)\n")
    text = tmp_path / "text.txt"
    text.write_text("The history of the city.")
    check(stela_("detect", "--profile", out, text), "is secret")
    monkeypatch.setenv("STELA_KEY", f"{15485863:016x}")
    assert stela_("detect", "--profile", out, text).status == 0


def test_remarks_go_to_stderr(stela_: Stela, tmp_path: Path) -> None:
    file = config(tmp_path, {"seeding_scheme": "selfhash"})
    made = stela_("profile", "import", "--transformers", file, "--model", "tiny", "-o", tmp_path / "p.stela")
    assert made.status == 0
    assert "does not depend on the context" in made.err
    assert len(made.out.splitlines()) == 1


@pytest.mark.parametrize(("toolkit", "content"), [("markllm", KGW), ("transformers", {"context_width": 2})])
def test_neither_import_nor_detection_needs_torch(tmp_path: Path, toolkit: str, content: Any) -> None:
    """As on a machine with ``pip install stela-core stela-interop`` alone."""
    program = """
import sys
for name in ("torch", "transformers", "numba"):
    sys.modules[name] = None
from stela_core.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
    out, text = tmp_path / "p.stela", tmp_path / "text.txt"
    text.write_text("The history of the city is long, and its people read many books in the old library.")
    new = ["profile", "import", f"--{toolkit}", config(tmp_path, content), "--model", "tiny", "-o", out]
    for command in (new, ["detect", "--profile", out, text, "--json"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, command)], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scored_tokens"] > 10


def test_profiles_of_before_are_read_and_written_as_they_were() -> None:
    """``parameters`` and ``device`` came later: where they say nothing they are left out."""
    from stela_core.profile.schema import parse_profile, to_json

    hasher = {"name": "keyed", "gamma": 0.5, "context_width": 1, "key_id": "0" * 8, "key": None}
    old = {
        "format": "stela-profile/1",
        "created_with": "stela-core 0.1.0",
        "language": None,
        "scheme": {"name": "kgw", "parameters": {"delta": 2.0}},
        "hasher": hasher,
        "tagger": None,
        "k": None,
        "window": None,
        "calibration": "tokens",
        "tokenizer_sha256": "0" * 64,
        "table_sha256": None,
        "vocab_size": 8192,
        "min_tokens": 16,
        "alpha": 0.001,
    }
    data = (json.dumps(old, indent=2) + "\n").encode()
    assert to_json(parse_profile(data, "old")) == data


def test_hasher_of_a_profile_with_wrong_parameters(stela_: Stela, tmp_path: Path) -> None:
    out = tmp_path / "p.stela"
    assert (
        stela_("profile", "import", "--markllm", config(tmp_path, KGW), "--model", "tiny", "-o", out).status
        == 0
    )
    changed = tmp_path / "changed.stela"
    with zipfile.ZipFile(out) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, source.read(name).replace(b'"f_scheme": "time"', b'"f_schema": "time"'))
    with pytest.raises(stela.StelaError, match='hasher "interop-markllm" has no parameter "f_schema"'):
        stela.load(changed)
