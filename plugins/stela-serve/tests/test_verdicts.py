"""Signed verdicts: what the service signs holds offline, and nothing else does."""

from __future__ import annotations

import base64
import json
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from stela_serve.envelope import TYPE, opened, pre_authentication, sealed
from stela_serve.signer import Signer, id_of, public_key_of, read_signer
from stela_serve.verdicts import parsed, signed, text_hash

import stela_core as stela
from tests.cli.conftest import Stela
from tests.helpers import ENGLISH

from .conftest import Running, Start

SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
RESULT = {
    "verdict": "watermarked",
    "p_value": 1.25e-7,
    "threshold": 0.001,
    "profile": "a.stela",
    "tokens": [{"text": "words"}],
    "window": {"start": 0, "end": 5, "text": "words", "p_value": 1e-9},
    "passages": [{"start": 0, "end": 5, "text": "words"}],
}
PROFILES = [{"name": "a.stela", "key_id": "00000000", "fingerprint": "f" * 64, "scheme": "kgw"}]


def envelope_of(text: str = "some words") -> dict[str, Any]:
    [envelope] = signed([text], [RESULT], PROFILES, {"windows": True}, SIGNER)
    return envelope


def test_pre_authentication_is_the_specifications() -> None:
    """The example of the DSSE protocol, and its signature by the library alone."""
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("http://example.com/HelloWorld", b"hello world") == expected
    envelope = sealed(b"hello world", SIGNER)
    key = Ed25519PublicKey.from_public_bytes(SIGNER.public_key)
    message = b"DSSEv1 %d %s 11 hello world" % (len(TYPE), TYPE.encode())
    signature = base64.b64decode(envelope["signatures"][0]["sig"])
    key.verify(signature, message)
    with pytest.raises(InvalidSignature):
        key.verify(signature, b"hello world")


def test_signed_says_everything_but_the_text() -> None:
    text = "wörds 🏙"
    payload = opened(envelope_of(text), SIGNER.public_key)
    assert payload is not None
    said = parsed(payload)
    assert b"words" not in payload
    assert said["text_sha256"] == text_hash(text)
    assert said["characters"] == 7
    assert said["tested"] == [{"name": "a.stela", "key_id": "00000000", "fingerprint": "f" * 64}]
    assert said["result"]["p_value"] == 1.25e-7
    assert said["result"]["window"] == {"start": 0, "end": 5, "p_value": 1e-9}


@given(st.integers(0, 2000), st.integers(1, 255))
def test_no_changed_byte_holds(place: int, change: int) -> None:
    envelope = envelope_of()
    payload = bytearray(base64.b64decode(envelope["payload"]))
    payload[place % len(payload)] ^= change
    changed = {**envelope, "payload": base64.b64encode(bytes(payload)).decode()}
    assert opened(changed, SIGNER.public_key) is None
    signature = bytearray(base64.b64decode(envelope["signatures"][0]["sig"]))
    signature[place % len(signature)] ^= change
    other = {"keyid": SIGNER.key_id, "sig": base64.b64encode(bytes(signature)).decode()}
    assert opened({**envelope, "signatures": [other]}, SIGNER.public_key) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(json_values, st.sampled_from(["payload", "payloadType", "signatures", "sig", None]))
def test_strange_envelopes_are_refused(value: Any, field: str | None) -> None:
    envelope = envelope_of()
    if field == "sig":
        strange: Any = {**envelope, "signatures": [{"sig": value}]}
    else:
        strange = value if field is None else {**envelope, field: value}
    with suppress(stela.StelaError):
        assert opened(strange, SIGNER.public_key) is None


def test_another_key_holds_nothing() -> None:
    other = Signer(Ed25519PrivateKey.generate())
    assert opened(envelope_of(), other.public_key) is None
    assert opened(envelope_of(), bytes(32)) is None
    both = envelope_of()
    both["signatures"] = [*sealed(b"else", other)["signatures"], *both["signatures"]]
    assert opened(both, SIGNER.public_key) is not None


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b'{"format": "x"}', b'{"format": "stela-verdict/1"}', b"\xff"]
)
def test_signed_nonsense_is_refused(payload: bytes) -> None:
    with pytest.raises(stela.StelaError):
        parsed(payload)


def test_commands(stela_: Stela, tmp_path: Path) -> None:
    key, file, text = tmp_path / "key.pem", tmp_path / "v.json", tmp_path / "t.txt"
    made = stela_("verdict", "key", "-o", key)
    assert made.status == 0
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    signer = read_signer(str(key))
    public = signer.public_key.hex()
    assert f"signing key {id_of(signer.public_key)}, public key {public}" in made.out
    assert stela_("verdict", "public", key).out.strip() == public
    taken = stela_("verdict", "key", "-o", key)
    assert (taken.status, "exists" in taken.err) == (2, True)
    text.write_text("some words\n", encoding="utf-8", newline="")
    [envelope] = signed(["some words\n"], [RESULT], PROFILES, {}, signer)
    file.write_text(json.dumps(envelope))
    verify = ["verdict", "verify", file, "--signer", public, "--text", text]
    holds = stela_(*verify)
    assert holds.status == 0, holds.err
    assert "signature: holds" in holds.out
    assert "is the one that was tested" in holds.out
    assert "watermarked, p-value 1.25e-07 (threshold 0.001), a.stela" in holds.out
    text.write_text("other words\n")
    assert (stela_(*verify).status, "another one" in stela_(*verify).out) == (1, True)
    strange = stela_("verdict", "verify", file, "--signer", SIGNER.public_key.hex())
    assert (strange.status, "does not hold" in strange.out) == (1, True)
    file.write_text("{}")
    broken = stela_(*verify)
    assert (broken.status, "no signed verdict" in broken.err) == (2, True)
    for signer_given in ("xyz", str(file)):
        assert stela_("verdict", "verify", file, "--signer", signer_given).status == 2


def test_public_keys_and_files_that_hold_none(tmp_path: Path) -> None:
    file = tmp_path / "public.txt"
    file.write_text(SIGNER.public_key.hex() + "\n")
    assert public_key_of(str(file)) == SIGNER.public_key
    file.write_text("-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n")
    with pytest.raises(stela.StelaError, match="no Ed25519 private key") as refused:
        read_signer(str(file))
    assert "secret" not in str(refused.value)


@pytest.mark.slow
def test_service_signs_what_it_says(running: Running, start: Start, stela_: Stela, tmp_path: Path) -> None:
    assert running.detect(text=ENGLISH, sign=True).status_code == 403
    assert running.client.get("/v1/signer").status_code == 404
    key, text = tmp_path / "key.pem", tmp_path / "t.txt"
    stela_("verdict", "key", "-o", key)
    text.write_bytes(ENGLISH.encode())
    with start("--workers", "1", "--signing-key", str(key)) as service:
        signer = httpx.get(f"{service.url}/v1/signer").json()
        assert signer["public_key"] == read_signer(str(key)).public_key.hex()
        asked = {"texts": [ENGLISH, "another"], "sign": True, "windows": True}
        answer = httpx.post(f"{service.url}/v1/detect", json=asked, timeout=60).json()
        assert answer["results"] == running.results(texts=[ENGLISH, "another"], windows=True)
        plain = httpx.post(f"{service.url}/v1/detect", json={"text": ENGLISH}, timeout=60).json()
        assert "signed" not in plain
        assert "PRIVATE" not in service.log.read_text()
    payloads = [opened(one, bytes.fromhex(signer["public_key"])) for one in answer["signed"]]
    for payload, result in zip(payloads, answer["results"], strict=True):
        assert payload is not None
        assert b"history" not in payload
        said = parsed(payload)
        assert said["result"]["p_value"] == result["p_value"]
        assert len(said["tested"]) == 4
    file = tmp_path / "v.json"
    file.write_text(json.dumps(answer["signed"][0]))
    profile = running.profiles / "kgw.stela"
    verify = ["verdict", "verify", file, "--signer", signer["public_key"]]
    done = stela_(*verify, "--text", text, "--profile", profile)
    assert (done.status, "was tested for" in done.out) == (0, True)
