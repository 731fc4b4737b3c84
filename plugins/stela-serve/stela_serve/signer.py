"""Whose signature: an Ed25519 key in a file, and its public half as 64 hex digits."""

from __future__ import annotations

import hashlib
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from stela_core import MissingLibraryError, StelaError
from stela_core.api import read_bounded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

LARGEST = 65_536
HINT = "stela verdict key -o FILE makes one"


class Signer:
    """A private key.

    Args:
        key: kept in memory alone; no method gives it away.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self.public_key: bytes = key.public_key().public_bytes_raw()

    @property
    def key_id(self) -> str:
        """Name of the key: 16 hex digits."""
        return id_of(self.public_key)

    def sign(self, message: bytes) -> bytes:
        """64 bytes."""
        return self._key.sign(message)


def id_of(public_key: bytes) -> str:
    """Name of a public key: the first 16 hex digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:16]


def holds(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature is this key's of this message."""
    require_cryptography()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_signer(path: str) -> Signer:
    """The private key of a file (PEM, PKCS #8, without a password).

    Raises:
        StelaError: it holds none; nothing of its content is repeated.
    """
    require_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    data = read_bounded(path, LARGEST, f'signing key "{path}"', HINT)
    try:
        key = load_pem_private_key(data, None)
    except Exception:  # of the library's own kinds, too
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise StelaError(f'"{path}" holds no Ed25519 private key without a password.', HINT)
    return Signer(key)


def write_signer(path: str) -> Signer:
    """Draw a key into a new file that its owner alone can read.

    Raises:
        StelaError: there is something of this name, or it cannot be written.
    """
    require_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = Ed25519PrivateKey.generate()
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise StelaError(f'"{path}" exists.', "give another -o: a key that is replaced is lost") from None
    except OSError as error:
        raise StelaError(f'"{path}" cannot be written: {error.strerror}.', "choose another -o") from None
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return Signer(key)


def public_key_of(given: str) -> bytes:
    """A public key by its 64 hex digits, or by a file that holds them.

    Raises:
        StelaError: it is none.
    """
    text = given
    if not re.fullmatch("[0-9a-fA-F]{64}", given) and Path(given).exists():
        data = read_bounded(given, LARGEST, f'public key "{given}"', "give its 64 hex digits")
        text = data.decode("ascii", "replace").strip()
    if not re.fullmatch("[0-9a-fA-F]{64}", text):
        raise StelaError(
            "this is no public key.", "give the 64 hex digits of GET /v1/signer, or a file of them"
        )
    return bytes.fromhex(text)


def require_cryptography() -> None:
    """Check that the library is there.

    Raises:
        MissingLibraryError: it is not; with the pip command.
    """
    if find_spec("cryptography") is None:
        raise MissingLibraryError("cryptography", "signing verdicts", '"stela-serve[sign]"')
