"""Signed verdicts: what a detector said of a text, of which text, by which profile, and when."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import stela_core as stela
from stela_core.api import read_members
from stela_sign.statement import Statement, check, now, sign


def text_sha256(text: str) -> str:
    """SHA-256 of the text's UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def profile_sha256(path: str | Path) -> str:
    """SHA-256 of a profile's ``profile.json``, which names tokenizer and table by theirs."""
    members = read_members(path)
    if "profile.json" not in members:
        raise stela.StelaError(f'"{path}" is not a profile.', "give a .stela file")
    return hashlib.sha256(members["profile.json"]).hexdigest()


def sign_verdict(
    result: Mapping[str, Any], text: str, profile: str, key_id: str | None, key: Ed25519PrivateKey
) -> bytes:
    """A signed verdict as JSON.

    Args:
        result: of a detection (``Detection.to_dict()``, without tokens).
        text: that was tested, as it was tested. Only its hash is in the verdict.
        profile: :func:`profile_sha256` of the profile.
        key_id: of the mark's key.
        key: of who says so.
    """
    says = {
        "result": dict(result),
        "text_sha256": text_sha256(text),
        "profile_sha256": profile,
        "key_id": key_id,
        "made_with": f"stela-core {version('stela-core')}",
        "time": now(),
    }
    return sign("verdict", says, key)


def check_verdict(
    data: bytes, what: str, text: str | None = None, profile: str | None = None, signer: str | None = None
) -> Statement:
    """A verdict whose signature holds, and that is about what it is said to be about.

    Args:
        data: of the verdict.
        what: names it in errors.
        text: that it should be about.
        profile: :func:`profile_sha256` of the profile that it should rest on.
        signer: the public key that it should be signed with.

    Raises:
        StelaError: the signature does not hold, or it is about something else.
    """
    statement = check(data, "verdict", what)
    says = statement.says
    if not isinstance(says.get("result"), dict):
        raise stela.StelaError(f"{what} gives no result.", "get it again from whoever signed it")
    if text is not None and says.get("text_sha256") != text_sha256(text):
        raise stela.StelaError(
            f"{what} is about another text.", "white space counts: give the text as it was tested"
        )
    if profile is not None and says.get("profile_sha256") != profile:
        raise stela.StelaError(f"{what} rests on another profile.", "give the profile that it names")
    if signer is not None and statement.key != signer:
        raise stela.StelaError(
            f"{what} is signed with {statement.key}, not with {signer}.", "ask its signer for the key"
        )
    return statement
