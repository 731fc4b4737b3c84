"""Keys of profiles: passphrases and names under a salt, and those of before."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.hashing import key_file
from stela_core.hashing.key_file import Passphrase, number_of
from stela_core.hashing.keys import key_id
from stela_core.profile.archive import Archive
from stela_core.profile.create import Settings
from stela_core.profile.schema import HasherPart, Profile, parse_profile

WORDS = b"Watermark2026!"
SALT = "000102030405060708090a0b0c0d0e0f"
OTHER_KEY = 0xABC


@pytest.fixture(scope="module")
def secret(registry: stela.Registry, tokenizer: Tokenizer) -> Archive:
    """A profile whose key comes from a passphrase."""
    key = Passphrase(WORDS).key(SALT)
    return Settings("kgw").create(registry, tokenizer, key, public=False, salt=SALT).archive


@pytest.fixture
def passphrase_file(tmp_path: Path) -> Path:
    file = tmp_path / "pass.txt"
    file.write_bytes(WORDS + b"\n")
    file.chmod(0o600)
    return file


@pytest.mark.slow
def test_a_passphrase_is_a_key_under_the_salt_of_its_profile(
    registry: stela.Registry, secret: Archive, tmp_path: Path, passphrase_file: Path
) -> None:
    assert secret.profile.hasher.salt == SALT
    secret.write(tmp_path / "p.stela")
    key = Passphrase(WORDS).key(SALT)
    for given in (passphrase_file, Passphrase(WORDS), key, f"{key:016x}"):
        watermark = stela.load(tmp_path / "p.stela", given, registry)
        assert watermark.parts.hasher.key == key
    for wrong in (Passphrase(b"Watermark2025!"), OTHER_KEY, Passphrase(WORDS).key(None)):
        with pytest.raises(stela.StelaError, match="wrong key"):
            stela.load(tmp_path / "p.stela", wrong, registry)
    with pytest.raises(stela.StelaError, match="16 hex digits"):
        stela.load(tmp_path / "p.stela", WORDS.decode(), registry)


def test_every_guess_at_a_secret_key_costs_a_slow_hash(
    secret: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither name nor passphrase is the fast one, and each is one scrypt away from a guess."""
    part = secret.profile.hasher
    key = Passphrase(WORDS).key(SALT)
    assert part.key_id != key_id(key)
    assert part.key_id != key_id(Passphrase(WORDS).key(None))
    calls: list[bytes] = []
    real = key_file.scrypt
    monkeypatch.setattr(key_file, "scrypt", lambda word, **rest: calls.append(word) or real(word, **rest))
    assert part.resolved(Passphrase(WORDS)) == key
    assert len(calls) == 2
    assert part.resolved(key) == key
    assert len(calls) == 3


@pytest.mark.slow
def test_two_profiles_of_one_key_have_different_names(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    parts = [
        Settings("kgw").create(registry, tokenizer, 7, public=False).archive.profile.hasher for _ in range(2)
    ]
    assert parts[0].key_id != parts[1].key_id
    assert [part.resolved(7) for part in parts] == [7, 7]


def test_public_profiles_are_what_they_were(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    part = Settings("kgw").create(registry, tokenizer, 7, public=True).archive.profile.hasher
    assert part.model_dump() == {
        "name": "keyed",
        "gamma": 0.5,
        "context_width": 1,
        "key_id": key_id(7),
        "key": f"{7:016x}",
    }


def test_secret_profiles_of_before_still_load(secret: Archive) -> None:
    """Fast name, fast passphrase, no salt; and they are written as they were."""
    key = Passphrase(WORDS).key(None)
    old = secret.profile.hasher.model_dump() | {"key_id": key_id(key)}
    del old["salt"]
    part = HasherPart.model_validate(old)
    assert part.model_dump() == old
    assert part.resolved(Passphrase(WORDS)) == key
    assert part.resolved(key) == key
    with pytest.raises(stela.StelaError, match="wrong key"):
        part.resolved(OTHER_KEY)


def test_without_a_name_any_key_is_taken(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    made = Settings("kgw").create(registry, tokenizer, 7, public=False, named=False)
    part = made.archive.profile.hasher
    assert (part.key_id, part.key, part.salt) == (None, None, None)
    assert part.resolved(7) == 7
    assert part.resolved(8) == 8
    assert parse_profile(made.archive.profile.to_json(), "it") == made.archive.profile


@pytest.mark.parametrize("salt", ["", "00", SALT + "00", SALT.replace("a", "A"), 7])
def test_a_salt_of_another_shape_is_refused(secret: Archive, salt: object) -> None:
    content = secret.profile.model_dump()
    content["hasher"]["salt"] = salt
    with pytest.raises(ValueError, match="salt"):
        Profile.model_validate(content)


def test_python_is_warned_of_a_key_file_that_others_may_read(passphrase_file: Path) -> None:
    passphrase_file.chmod(0o644)
    with pytest.warns(UserWarning, match="can be read by others"):
        assert number_of(passphrase_file, SALT) == Passphrase(WORDS).key(SALT)
