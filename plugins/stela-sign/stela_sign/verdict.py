"""Signed verdicts: what a detector said of a text, of which text, by which profiles, and when."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import stela_core as stela
from stela_core.api import Archive
from stela_sign.statement import Statement, check, now, sign


@dataclass(frozen=True, slots=True)
class Tested:
    """A profile that a text was tested for."""

    name: str
    """What the signer calls it."""
    key_id: str | None
    profile_sha256: str
    """SHA-256 of its ``profile.json``, which names tokenizer and table by theirs."""


def text_sha256(text: str) -> str:
    """SHA-256 of the text's UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def profile_sha256(path: str | Path) -> str:
    """SHA-256 of a profile's ``profile.json``."""
    return Archive.read(path).profile.digest


def sign_verdict(
    result: Mapping[str, Any],
    text: str,
    tested: Sequence[Tested],
    key: Ed25519PrivateKey,
    asked: Mapping[str, bool] | None = None,
) -> bytes:
    """A signed verdict as JSON.

    Args:
        result: of a detection (``Detection.to_dict()``). Tokens and words of passages are left out.
        text: as it was tested. Only its hash and its length are in the verdict.
        tested: the profiles.
        key: of who says so.
        asked: how it was tested, such as ``windows``.
    """
    says = {
        "result": without_text(result),
        "text_sha256": text_sha256(text),
        "characters": len(text),
        "tested": [asdict(one) for one in tested],
        "asked": dict(asked or {}),
        "made_with": f"stela-core {version('stela-core')}",
        "time": now(),
    }
    return sign("verdict", says, key)


def without_text(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result's fields without tokens and words of passages."""
    said = {name: value for name, value in result.items() if name != "tokens"}
    if "window" in said:
        said["window"] = _wordless(said["window"])
        said["passages"] = [_wordless(passage) for passage in said["passages"]]
    return said


def check_verdict(
    data: bytes, what: str, text: str | None = None, profile: str | None = None, signer: str | None = None
) -> Statement:
    """A verdict whose signature holds, and that is about what it is said to be about.

    Args:
        data: of the verdict.
        what: names it in errors.
        text: that it should be about.
        profile: :func:`profile_sha256` of a profile that it should rest on.
        signer: the public key that it should be signed with.

    Raises:
        StelaError: the signature does not hold, or it is about something else.
    """
    statement = check(data, "verdict", what)
    says = statement.says
    kinds = {"result": dict, "text_sha256": str, "tested": list, "time": str}
    if not all(isinstance(says.get(name), kind) for name, kind in kinds.items()):
        raise stela.StelaError(f"{what} is incomplete.", "get it again from whoever signed it")
    if text is not None and says["text_sha256"] != text_sha256(text):
        raise stela.StelaError(
            f"{what} is about another text.", "white space counts: give the text as it was tested"
        )
    hashes = [one.get("profile_sha256") for one in says["tested"] if isinstance(one, dict)]
    if profile is not None and profile not in hashes:
        raise stela.StelaError(f"{what} rests on another profile.", "give a profile that it names")
    if signer is not None and statement.key != signer:
        raise stela.StelaError(
            f"{what} is signed with {statement.key}, not with {signer}.", "ask its signer for the key"
        )
    return statement


def _wordless(passage: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in passage.items() if name != "text"}
