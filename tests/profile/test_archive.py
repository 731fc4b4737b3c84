from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.profile.archive import read_archive, write_archive
from stela_core.profile.create import Created, Settings, create_profile


@pytest.fixture
def created(registry: stela.Registry, tokenizer: Tokenizer) -> Created:
    return create_profile(registry, Settings("kgw", gamma=0.25), tokenizer, 99, public=True)


def test_what_is_written_is_read(created: Created, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    write_archive(path, created.archive)
    assert read_archive(path) == created.archive


def test_equal_profiles_are_equal_bytes(created: Created, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_archive(tmp_path / name, created.archive)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_writing_fails_whole(created: Created, tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match="cannot write"):
        write_archive(tmp_path / "no" / "p.stela", created.archive)
    (tmp_path / "folder").mkdir()
    with pytest.raises(stela.StelaError, match="cannot write"):
        write_archive(tmp_path / "folder", created.archive)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_tokenizer_state_does_not_change_the_hash(
    created: Created, registry: stela.Registry, tokenizer: Tokenizer
) -> None:
    """A call with padding or truncation leaves traces in the tokenizer; they are not the vocabulary."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.enable_padding(length=10)
    copy.enable_truncation(5)
    again = create_profile(registry, Settings("kgw", gamma=0.25), copy, 99, public=True)
    assert again.archive == created.archive


def test_key_of_a_python_user(registry: stela.Registry, tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    secret = create_profile(registry, Settings("kgw"), tokenizer, 0xABC, public=False)
    write_archive(path, secret.archive)
    for key in (0xABC, "0000000000000abc"):
        assert stela.load(path, key=key, registry=registry).parts.hasher.key == 0xABC
    with pytest.raises(stela.StelaError, match="wrong key"):
        stela.load(path, key=1, registry=registry)
