"""Signed verdicts: what the service signs holds offline."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from stela_serve.started import started
from stela_serve.verdicts import Signer
from stela_sign.signing_key import new_signing_key, read_signing_key, word_of
from stela_sign.verdict import check_verdict, text_sha256
from stela_testing import run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.marked import golden

from .conftest import Another, Running

RESULT = {
    "verdict": "watermarked",
    "p_value": 1.25e-7,
    "threshold": 0.001,
    "profile": "a.stela",
    "tokens": [{"text": "words"}],
    "window": {"start": 0, "end": 5, "text": "words", "p_value": 1e-9},
    "passages": [{"start": 0, "end": 5, "text": "words"}],
    "message": {"hex": "cafe", "sure": True},
}
PROFILES = [{"name": "a.stela", "key_id": "00000000", "fingerprint": "f" * 64, "scheme": "kgw"}]


def test_signed_says_everything_but_the_text(tmp_path: Path) -> None:
    key = new_signing_key(tmp_path / "key.pem")
    text = "wörds 🏙"
    [verdict] = Signer(tmp_path / "key.pem").sign([text], [RESULT], PROFILES, {"windows": True})
    data = json.dumps(verdict).encode()
    assert b"words" not in data
    says = check_verdict(data, "it", text, "f" * 64, word_of(key.public_key())).says
    assert says["text_sha256"] == text_sha256(text)
    assert says["characters"] == 7
    assert says["tested"] == [{"name": "a.stela", "key_id": "00000000", "profile_sha256": "f" * 64}]
    assert says["asked"] == {"windows": True}
    assert says["result"]["p_value"] == 1.25e-7
    assert says["result"]["message"] == {"hex": "cafe", "sure": True}
    assert says["result"]["window"] == {"start": 0, "end": 5, "p_value": 1e-9}


@pytest.mark.slow
def test_service_signs_what_it_says(running: Running, another: Another, tmp_path: Path) -> None:
    assert running.detect(text=ENGLISH, sign=True).status_code == 403
    assert running.client.get("/v1/signer").status_code == 404
    text = tmp_path / "t.txt"
    text.write_bytes(ENGLISH.encode())
    signer = httpx.get(f"{another.service.url}/v1/signer").json()["public_key"]
    assert signer == word_of(read_signing_key(another.signing_key).public_key())
    answer = another.detect(texts=[ENGLISH, "another"], sign=True, windows=True)
    assert answer["results"] == running.results(texts=[ENGLISH, "another"], windows=True)
    assert "signed" not in another.detect(text=ENGLISH)
    assert "PRIVATE" not in another.service.log.read_text()
    for verdict, result in zip(answer["signed"], answer["results"], strict=True):
        data = json.dumps(verdict).encode()
        assert b"history" not in data
        says = check_verdict(data, "it", signer=signer).says
        assert says["result"]["p_value"] == result["p_value"]
        assert len(says["tested"]) == 4
    file = tmp_path / "v.json"
    file.write_text(json.dumps(answer["signed"][0]))
    whole = ["--signer", signer, "--text", text, "--profile", running.profiles / "kgw.stela"]
    done = run_cli("verdict", "verify", file, *whole)
    assert (done.status, "the signature holds" in done.out) == (0, True), done.err


@pytest.mark.slow
def test_service_answers_and_signs_a_message(tmp_path: Path) -> None:
    """The message of a text, and with it the signed verdict, which holds offline."""
    profiles, key = tmp_path / "profiles", tmp_path / "key.pem"
    profiles.mkdir()
    (tmp_path / "service").mkdir()
    profile = profiles / "who.stela"
    run_cli("key", "signing", "-o", str(key))
    golden("gumbel-16-bits").write_profile(profile)
    text = golden("gumbel-16-bits").text("cafe")
    options = ("--profiles", str(profiles), "--rate", "0", "--workers", "1", "--signing-key", str(key))
    with started(tmp_path / "service", *options) as service:
        body = {"texts": [text, ENGLISH], "sign": True}
        answer = httpx.post(f"{service.url}/v1/detect", json=body, timeout=60).json()
    marked, unmarked = answer["results"]
    assert (marked["message"]["hex"], marked["message"]["sure"]) == ("cafe", True)
    assert "message" not in unmarked
    data = json.dumps(answer["signed"][0]).encode()
    says = check_verdict(
        data, "it", text, stela.load(profile).profile.digest, answer["signed"][0]["key"]
    ).says
    assert says["result"]["message"] == marked["message"]
