"""What a signed verdict says: of which text, by which profiles, when, and what came out; never the text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from stela_core import StelaError
from stela_core.api import parse_json
from stela_serve.envelope import HINT, sealed
from stela_serve.signer import Signer

FORMAT = "stela-verdict/1"


def signed(
    texts: Sequence[str],
    results: Sequence[Mapping[str, Any]],
    profiles: Sequence[Mapping[str, Any]],
    asked: Mapping[str, bool],
    signer: Signer,
    now: datetime | None = None,
) -> list[dict[str, Any]]:
    """An envelope for each text.

    Args:
        texts: as they were given.
        results: of each.
        profiles: name, key_id and fingerprint of each that was tested for.
        asked: how, such as ``windows``.
        signer: who vouches for it.
        now: the time that it says; by default this moment's.
    """
    moment = (now or datetime.now(UTC)).isoformat(timespec="seconds")
    tested = [{name: profile[name] for name in ("name", "key_id", "fingerprint")} for profile in profiles]
    envelopes = []
    for text, result in zip(texts, results, strict=True):
        payload = {
            "format": FORMAT,
            "time": moment,
            "text_sha256": text_hash(text),
            "characters": len(text),
            "tested": tested,
            "asked": dict(asked),
            "result": without_text(result),
        }
        envelopes.append(sealed(json.dumps(payload).encode(), signer))
    return envelopes


def text_hash(text: str) -> str:
    """SHA-256 of a text in UTF-8, as it was given."""
    return hashlib.sha256(text.encode()).hexdigest()


def without_text(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result's fields without tokens and words of passages."""
    said = {name: value for name, value in result.items() if name != "tokens"}
    if "window" in said:
        said["window"] = wordless(said["window"])
        said["passages"] = [wordless(passage) for passage in said["passages"]]
    return said


def wordless(passage: Mapping[str, Any]) -> dict[str, Any]:
    """A passage's places and numbers."""
    return {name: value for name, value in passage.items() if name != "text"}


def parsed(payload: bytes) -> dict[str, Any]:
    """What a payload says.

    Raises:
        StelaError: it is none of this format.
    """
    said = parse_json(payload, "the verdict", HINT)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise StelaError("the verdict is of another format.", f"this version reads {FORMAT}")
    kinds = {"time": str, "text_sha256": str, "characters": int, "tested": list, "result": dict}
    if not all(isinstance(said.get(name), kind) for name, kind in kinds.items()):
        raise StelaError("the verdict lacks something.", HINT)
    return said
