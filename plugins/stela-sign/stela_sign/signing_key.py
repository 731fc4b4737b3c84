"""Ed25519 keys (RFC 8032): the private one in a PEM file, the public one as a word."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

import stela_core as stela
from stela_core.api import read_bounded, write_secret

PREFIX = "ed25519:"
LARGEST = 16_384
"""Bytes of a PEM file: an honest one has 119."""

PRIME = 2**255 - 19
_BASE8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER = frozenset({0, 1, PRIME - 1, _BASE8, PRIME - _BASE8})
"""The y of the eight points that eight times themselves are nothing: one signature holds of any statement."""

HINT = "stela key signing -o FILE makes one, and so does openssl genpkey -algorithm ed25519"


def new_signing_key(path: str | Path) -> Ed25519PrivateKey:
    """Draw a key into a new PEM file (PKCS 8) that only its owner can read.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    lost = "give another -o: who loses a signing key cannot sign by that name again"
    write_secret(path, pem, "signing key", lost)
    return key


def read_signing_key(path: str | Path) -> Ed25519PrivateKey:
    """The private key in a PEM file without a password.

    Raises:
        StelaError: it cannot be read or is not such a file. Its content is never repeated.
    """
    data = read_bounded(path, LARGEST, f'signing key "{path}"', HINT)
    try:
        key = load_pem_private_key(data, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise stela.StelaError(f'"{path}" holds no Ed25519 key that can be read without a password.', HINT)
    return key


def word_of(key: Ed25519PublicKey) -> str:
    """The public key as people hand it on: ``ed25519:`` and 43 letters of base64url."""
    raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return PREFIX + base64.urlsafe_b64encode(raw).decode("ascii").rstrip("=")


def key_of(word: str) -> Ed25519PublicKey:
    """The public key that a word spells.

    Raises:
        StelaError: it spells none, or in another way than :func:`word_of`.
    """
    try:
        raw = base64.b64decode(word.removeprefix(PREFIX) + "=", altchars=b"-_", validate=True)
        key = Ed25519PublicKey.from_public_bytes(raw)
    except (ValueError, binascii.Error):
        raw, key = b"", None
    # One spelling a key: words are compared.
    if key is None or word_of(key) != word:
        raise stela.StelaError(
            f'"{word[:80]}" is not a public key.', f"one begins with {PREFIX} and has 43 letters more"
        )
    if (int.from_bytes(raw, "little") & (1 << 255) - 1) % PRIME in SMALL_ORDER:
        raise stela.StelaError(
            f'"{word}" is a key of small order: signatures of it hold of any statement.',
            "nobody made it with a private key: ask for another",
        )
    return key
