from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.parts import ProfileParts
from stela_core.profile.schema import parse_profile


@pytest.fixture
def created(registry: stela.Registry, tokenizer: Tokenizer) -> ProfileParts:
    return Settings("kgw", gamma=0.25).create(registry, tokenizer, 99, public=True)


def test_what_is_written_is_read(created: ProfileParts, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    created.archive.write(path)
    assert Archive.read(path) == created.archive


def test_equal_profiles_are_equal_bytes(created: ProfileParts, tmp_path: Path) -> None:
    for name in ("a", "b"):
        created.archive.write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_writing_fails_whole(created: ProfileParts, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="cannot write"):
        created.archive.write(tmp_path / "no" / "p.stela")
    (tmp_path / "folder").mkdir()
    with pytest.raises(stela.StelaError, match="cannot write"):
        created.archive.write(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_tokenizer_state_does_not_change_the_hash(
    created: ProfileParts, registry: stela.Registry, tokenizer: Tokenizer
) -> None:
    """A call with padding or truncation leaves traces in the tokenizer; they are not the vocabulary."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.enable_padding(length=10)
    copy.enable_truncation(5)
    again = Settings("kgw", gamma=0.25).create(registry, copy, 99, public=True)
    assert again.archive == created.archive


@pytest.mark.slow
def test_key_of_a_python_user(registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    secret = Settings("kgw").create(registry, tokenizer, 0xABC, public=False)
    secret.archive.write(path)
    for key in (0xABC, "0000000000000abc"):
        assert stela.load(path, key=key, registry=registry).parts.hasher.key == 0xABC
    with pytest.raises(stela.StelaError, match="wrong key"):
        stela.load(path, key=1, registry=registry)


def test_profiles_of_before_are_read_and_written_as_they_were() -> None:
    """``parameters`` and ``device`` came later: where they say nothing they are left out."""
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
    assert parse_profile(data, "old").to_json() == data
