"""Names of secret keys, and keys from passphrases: slow, salted, frozen."""

from __future__ import annotations

import secrets
from hashlib import scrypt

import pytest

from stela_core.hashing import key_file
from stela_core.hashing.key_file import Passphrase, new_salt, slow_key_id
from stela_core.hashing.keys import key_id

KEY = 0x0123456789ABCDEF
SALT = "000102030405060708090a0b0c0d0e0f"
OTHER = "ff" + SALT[2:]


def by_hand(password: bytes, salt: bytes, size: int) -> bytes:
    return scrypt(password, salt=salt, n=2**15, r=8, p=1, maxmem=2**27, dklen=size)


@pytest.mark.slow
def test_both_are_scrypt_under_salts_of_their_own() -> None:
    assert (
        slow_key_id(KEY, SALT)
        == by_hand(KEY.to_bytes(8, "little"), b"stela/key-id/2" + bytes(range(16)), 4).hex()
    )
    expected = by_hand(b"correct horse battery", b"stela/key-file/2" + bytes(range(16)), 8)
    assert Passphrase(b"correct horse battery").key(SALT) == int.from_bytes(expected, "little")


def test_frozen() -> None:
    assert slow_key_id(KEY, SALT) == "edba9508"
    assert Passphrase(b"correct horse battery").key(SALT) == 0xD1280EC9F0F1B598


@pytest.mark.slow
def test_another_salt_gives_another_key_and_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert slow_key_id(KEY, OTHER) != slow_key_id(KEY, SALT)
    assert Passphrase(b"correct horse battery").key(OTHER) != Passphrase(b"correct horse battery").key(SALT)
    monkeypatch.setattr("stela_core.hashing.key_file.secrets", secrets)  # and no fixed salts (conftest.py)
    assert len({new_salt() for _ in range(50)}) == 50


@pytest.mark.parametrize(
    ("content", "wanted"),
    [(b"correct horse battery", 0xCF9DC91657DAF04A), (bytes(range(128, 160)), 0x8170B8CC22853450)],
)
def test_without_a_salt_they_are_those_of_before(content: bytes, wanted: int) -> None:
    assert Passphrase(content).key(None) == wanted
    assert slow_key_id(KEY, None) == key_id(KEY)


def test_a_guess_costs_32_mib() -> None:
    """What makes it slow on other processors, too: memory, not the clock of this machine."""
    assert 128 * key_file.N * key_file.R >= 32 << 20
