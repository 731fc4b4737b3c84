"""Signed statements: JSON that says what was signed, by which key, and the signature itself."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import BaseModel, ConfigDict, ValidationError

import stela_core as stela
from stela_core.api import describe, parse_json
from stela_sign.signing_key import key_of, word_of

FORMAT: Literal["stela-signature/1"] = "stela-signature/1"
LARGEST = 1 << 20
"""Bytes of a statement."""

Kind = Literal["profile", "verdict"]


class _Form(BaseModel):
    """What is in the file."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    format: Literal["stela-signature/1"]
    kind: Kind
    says: dict[str, Any]
    key: str
    signature: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One whose signature holds."""

    kind: str
    says: Mapping[str, Any]
    key: str
    """The signer's public key, as a word."""


def now() -> str:
    """The time in UTC, to the second (RFC 3339)."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def sign(kind: Kind, says: Mapping[str, Any], key: Ed25519PrivateKey) -> bytes:
    """A statement as JSON.

    The signature is Ed25519's (RFC 8032) of the format's name, a line feed and the canonical JSON
    (RFC 8785) of ``kind``, ``says`` and ``key``: it says for what it was given and cannot stand for another.
    """
    word = word_of(key.public_key())
    body = {"kind": kind, "says": dict(says), "key": word}
    signature = base64.b64encode(key.sign(_signed(body))).decode("ascii")
    return rfc8785.dumps({"format": FORMAT, **body, "signature": signature}) + b"\n"


def check(data: bytes, kind: Kind, what: str) -> Statement:
    """The statement in ``data``, if its signature holds.

    Whether the key is that of whom it claims to be, only who knows the key can tell.

    Args:
        data: of a stranger.
        kind: what it should be about.
        what: names it in errors.

    Raises:
        StelaError: it is not one of this kind, or the signature does not hold.
    """
    again = "get it again from whoever signed it"
    value = parse_json(data, what, again)
    try:
        form = _Form.model_validate(value)
    except ValidationError as error:
        raise stela.StelaError(f"{what} is not a signed statement: {describe(error)}.", again) from None
    if form.kind != kind:
        raise stela.StelaError(f"{what} signs a {form.kind}, not a {kind}.", f"give a signed {kind}")
    try:
        signature = base64.b64decode(form.signature, validate=True)
        key_of(form.key).verify(signature, _signed({"kind": form.kind, "says": form.says, "key": form.key}))
    except (InvalidSignature, ValueError, binascii.Error):
        raise stela.StelaError(
            f"{what}: the signature does not hold: it was changed, or signed with another key.", again
        ) from None
    return Statement(form.kind, form.says, form.key)


def _signed(body: Mapping[str, Any]) -> bytes:
    return FORMAT.encode() + b"\n" + rfc8785.dumps(dict(body))
