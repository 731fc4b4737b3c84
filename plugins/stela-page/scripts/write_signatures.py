"""Write ``web/tests/signatures.json``: statements as stela-sign makes them, and changed ones."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from stela_sign.signing_key import word_of
from stela_sign.statement import check, sign

import stela_core as stela

OUT = Path(__file__).resolve().parents[1] / "web" / "tests" / "signatures.json"
KEYS = [Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in range(3)]
MAKERS = (None, "Example News", "新闻", "뉴스 😀", 'q"\\/\n\t\u0007\u2028\u00e9', "e\u0301", "x" * 200)
ORDER = 2**252 + 27742317777372353535851937790883648493
"""Order of the base point (RFC 8032, 5.1)."""
NUMBERS = [0, -0.0, 1e21, 1e-7, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2**53 - 1, True, None]


def statements() -> list[dict[str, Any]]:
    """Each with what the library that signs says of it."""
    written = [signed(says, KEYS[number % 3]) for number, says in enumerate(said())]
    cases = [*written, *(text for one in written[:2] for text in changed(one))]
    return [{"text": text, "holds": holds(text)} for text in cases]


def said() -> list[dict[str, Any]]:
    """What is signed: names in several scripts, and values that are hard to write in one way."""
    content = sha256(b"{}").hexdigest()
    plain = [{"profile_sha256": content, "maker": maker, "time": "2026-11-22T12:00:00Z"} for maker in MAKERS]
    names = {
        "\u20ac": 1,
        "\r": 2,
        "\ufb33": 3,
        "1": 4,
        "\U0001f600": 5,
        "\u0080": 6,
        "\u00f6": 7,
    }  # RFC 8785, 3.2.3
    return [*plain, {"numbers": NUMBERS, "names": names, "nested": {"b": [], "a": {}}}]


def signed(says: dict[str, Any], key: Ed25519PrivateKey) -> str:
    """The statement as text."""
    return sign("profile", says, key).decode()


def changed(text: str) -> list[str]:
    """The same, with something in it that was not signed so."""
    body = json.loads(text)
    raw = base64.b64decode(body["signature"])
    scalar = int.from_bytes(raw[32:], "little")
    beyond = raw[:32] + (scalar + ORDER).to_bytes(32, "little")  # the same number to a lenient reader
    other = word_of(KEYS[2].public_key())
    small = "ed25519:" + base64.urlsafe_b64encode(bytes([1]) + bytes(31)).decode().rstrip("=")
    flipped = bytes([raw[0] ^ 1]) + raw[1:]
    variants: list[dict[str, Any]] = [
        {**body, "says": {**body["says"], "maker": "Another"}},
        {**body, "says": {**body["says"], "more": 1}},
        {**body, "key": other},
        {**body, "key": small},
        {**body, "key": body["key"][:-1] + "_"},
        {**body, "key": body["key"].removeprefix("ed25519:")},
        {**body, "kind": "verdict"},
        {**body, "format": "stela-signature/2"},
        {**body, "more": 1},
        {**body, "signature": base64.b64encode(beyond).decode()},
        {**body, "signature": base64.b64encode(flipped).decode()},
        {**body, "signature": base64.b64encode(bytes(64)).decode()},
        {**body, "signature": body["signature"][:-2]},
        {**body, "signature": 1},
        {**body, "says": {"maker": "\ud800"}},
        {name: value for name, value in body.items() if name != "format"},
    ]
    verdict = sign("verdict", body["says"], KEYS[0]).decode()
    spaced = json.dumps(body, indent=3, ensure_ascii=True)  # another way to write the same: it holds
    return [*map(json.dumps, variants), verdict, spaced, "", "[]", "null", text[:-20]]


def holds(text: str) -> bool:
    """What stela-sign says."""
    try:
        check(text.encode(), "profile", "it")
    except stela.StelaError:
        return False
    return True


def profile() -> dict[str, str]:
    """The files of a profile, as far as its signature goes."""
    files = {"tokenizer": '{"t": "\u00e9"}', "table": "[]"}
    named = {f"{name}_sha256": sha256(text.encode()).hexdigest() for name, text in files.items()}
    content = json.dumps({"k": "\u8a9e", **named}, ensure_ascii=False, indent=2)
    says = {
        "profile_sha256": sha256(content.encode()).hexdigest(),
        "maker": "M",
        "time": "2026-11-22T12:00:00Z",
    }
    return {**files, "content": content, "statement": signed(says, KEYS[0])}


def content() -> str:
    """The file."""
    return json.dumps({"statements": statements(), "profile": profile()}, ensure_ascii=True, indent=0) + "\n"


if __name__ == "__main__":
    OUT.write_text(content(), encoding="utf-8")
