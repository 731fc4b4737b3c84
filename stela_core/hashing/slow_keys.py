"""Keys from passphrases, and names of secret keys: slow and salted, so that neither can be guessed fast.

Both are scrypt (RFC 7914) with n = 2**15, r = 8, p = 1: 32 MiB and about 0.1 s a guess. The salt of a
profile is drawn when it is made and stands in it. Profiles without one are of before, when both were a fast
BLAKE2b.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from hashlib import blake2b, scrypt

from stela_core.hashing.keys import key_id, parse_key

N, R, P = 1 << 15, 8, 1
SALT_BYTES = 16
_ID = b"stela/key-id/2"
_PASSPHRASE = b"stela/key-file/2"
_FAST_PASSPHRASE = b"stela/key-file/1"


def new_salt() -> str:
    """A random salt, 32 hex digits."""
    return secrets.token_hex(SALT_BYTES)


def slow_key_id(key: int, salt: str | None, words: int = 1) -> str:
    """Name of a secret key under a profile's salt, 8 hex digits; without one, the fast name of before."""
    if salt is None:
        return key_id(key, words)
    return _scrypt(key.to_bytes(8 * words, "little"), _ID, salt, 4).hex()


@dataclass(frozen=True, slots=True)
class Passphrase:
    """The content of a key file that is no key of 16 hex digits; a key only together with a salt."""

    content: bytes = field(repr=False)

    def key(self, salt: str | None, words: int = 1) -> int:
        """The 64-bit key under a profile's salt; without one, the fast one of before.

        A key of several words is no passphrase: it is their hex digits.

        Raises:
            StelaError: the content is not as many hex digits.
        """
        if words > 1:
            return parse_key(self.content.decode("utf-8", "replace"), words)
        if salt is None:
            digest = blake2b(self.content, digest_size=8, person=_FAST_PASSPHRASE).digest()
        else:
            digest = _scrypt(self.content, _PASSPHRASE, salt, 8)
        return int.from_bytes(digest, "little")


def _scrypt(password: bytes, purpose: bytes, salt: str, size: int) -> bytes:
    # OpenSSL wants leave to use a little more than the 128 n r bytes of the algorithm.
    memory = 2 * 128 * N * R
    return scrypt(password, salt=purpose + bytes.fromhex(salt), n=N, r=R, p=P, maxmem=memory, dklen=size)
