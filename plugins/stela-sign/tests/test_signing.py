"""The commands, on a profile and a text."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from stela_sign.signing_key import read_signing_key
from stela_sign.statement import sign
from stela_sign.verdict import profile_sha256
from stela_testing import assert_refused, run_cli

import stela_core as stela
from stela_core.api import Archive
from stela_core.profile.provenance import trusted


@pytest.fixture
def at(tmp_path: Path) -> Callable[[str], str]:
    return lambda name: str(tmp_path / name)


@pytest.fixture
def signed(at: Callable[[str], str]) -> str:
    """A public profile, signed; its signer's public key is in ``word``."""
    stela.create("kgw", model="tiny", key="public").save(at("p.stela"))
    made = run_cli("key", "signing", "-o", at("k.pem"))
    assert made.status == 0, made.err
    Path(at("word")).write_text(made.out.split("public key: ")[1].strip())
    done = run_cli(
        "profile", "sign", at("p.stela"), "--signing-key", at("k.pem"), "--maker", "新闻", "-o", at("s.stela")
    )
    assert done.status == 0, done.err
    return at("s.stela")


def test_a_verdict_under_a_published_key_says_so(at: Callable[[str], str]) -> None:
    assert run_cli("key", "new", "-o", at("mark.txt")).status == 0
    assert run_cli("key", "signing", "-o", at("k.pem")).status == 0
    stela.create("kgw", model="tiny", key=Path(at("mark.txt"))).save(at("p.stela"))
    words = ("--key-file", at("mark.txt"), "--early", "-o", at("public.stela"))
    done = run_cli("profile", "publish", at("p.stela"), *words)
    assert done.status == 0, done.err
    Path(at("t.txt")).write_text("Nobody marked these words, and there are few of them.")
    words = ("--profile", at("public.stela"), "--signing-key", at("k.pem"), "-o", at("v.json"))
    assert run_cli("verdict", "sign", at("t.txt"), *words).status == 0
    assert "anyone could write text that carries its mark" in run_cli("verdict", "verify", at("v.json")).out


def test_a_changed_profile_is_to_be_signed_anew(signed: str, at: Callable[[str], str]) -> None:
    done = run_cli("profile", "rotate", signed, "-o", at("r.stela"))
    assert done.status == 0, done.err
    assert "note: signature.json signed the earlier profile and is left out" in done.err
    assert_refused(run_cli("profile", "verify", at("r.stela")), "is not signed")


def test_a_signature_frees_nothing_until_its_signer_is_named(signed: str, at: Callable[[str], str]) -> None:
    word, profile = Path(at("word")).read_text(), stela.load(signed).profile
    trusted.remove(profile)
    assert stela.load(signed).provenance.caveat
    assert_refused(run_cli("profile", "verify", signed, "--trust"), "--trust needs the key", "--signer")
    other = word[:-1] + ("A" if word[-1] != "A" else "B")
    assert run_cli("profile", "verify", signed, "--signer", other, "--trust").status == 2
    assert stela.load(signed).provenance.caveat
    done = run_cli("profile", "verify", signed, "--signer", word, "--trust")
    assert (done.status, "no caveat on this machine" in done.out) == (0, True), done.err
    assert stela.load(signed).provenance.caveat is None
    assert run_cli("profile", "trust", "--undo", signed).status == 0
    assert stela.load(signed).provenance.caveat


def test_a_signed_profile_is_the_same_profile(signed: str, at: Callable[[str], str]) -> None:
    word = Path(at("word")).read_text()
    done = run_cli("profile", "verify", signed, "--signer", word)
    assert done.status == 0, done.err
    assert word in done.out
    assert "新闻" in done.out
    assert stela.load(signed).profile == stela.load(at("p.stela")).profile
    with zipfile.ZipFile(signed) as new, zipfile.ZipFile(at("p.stela")) as old:
        assert {*new.namelist()} - {*old.namelist()} == {"signature.json"}
        for name in old.namelist():
            assert new.read(name) == old.read(name)


def test_signing_anew_leaves_one_signature(signed: str, at: Callable[[str], str]) -> None:
    run_cli("key", "signing", "-o", at("other.pem"))
    done = run_cli("profile", "sign", signed, "--signing-key", at("other.pem"), "-o", signed, "--force")
    assert done.status == 0, done.err
    with zipfile.ZipFile(signed) as file:
        assert file.namelist().count("signature.json") == 1
    refused = run_cli("profile", "verify", signed, "--signer", Path(at("word")).read_text())
    assert_refused(refused, "not with")


def changed(signed: str, target: str, change: Callable[[str, bytes], bytes]) -> None:
    with zipfile.ZipFile(signed) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))


@pytest.mark.parametrize(
    ("member", "old", "new", "says"),
    [
        ("profile.json", b'"alpha": 0.001', b'"alpha": 0.002', "another profile"),
        ("signature.json", "新闻".encode(), "旧闻".encode(), "does not hold"),
        ("signature.json", b'"says"', b'"said"', "not a signed statement"),
        ("signature.json", b"{", b"", "not JSON"),
    ],
)
def test_changes_are_seen(
    signed: str, at: Callable[[str], str], member: str, old: bytes, new: bytes, says: str
) -> None:
    def change(name: str, data: bytes) -> bytes:
        assert name != member or old in data
        return data.replace(old, new, 1) if name == member else data

    changed(signed, at("c.stela"), change)
    assert_refused(run_cli("profile", "verify", at("c.stela")), says)
    # Detection never rests on a signature.
    assert stela.load(at("c.stela")).profile.scheme.name == "kgw"


def test_an_unsigned_profile(signed: str, at: Callable[[str], str]) -> None:
    assert_refused(run_cli("profile", "verify", at("p.stela")), "is not signed")


def test_a_verdict_says_what_detect_says(signed: str, at: Callable[[str], str]) -> None:
    text = "The museum of the town keeps a collection of old maps, and every spring it shows them."
    Path(at("t.txt")).write_text(text, encoding="utf-8")
    words = ("--profile", signed, "--signing-key", at("k.pem"), "-o", at("v.json"))
    done = run_cli("verdict", "sign", at("t.txt"), *words)
    assert done.status == 0, done.err
    data = Path(at("v.json")).read_bytes()
    assert text.encode() not in data
    says = json.loads(data)["says"]
    expected = stela.load(signed).detect(text)
    assert says["result"]["p_value"] == expected.p_value
    assert says["result"]["verdict"] == expected.verdict
    word = Path(at("word")).read_text()
    whole = ("--text", at("t.txt"), "--profile", signed, "--signer", word)
    done = run_cli("verdict", "verify", at("v.json"), *whole)
    assert done.status == 0, done.err
    assert "not compared" not in done.out
    assert "not compared: --text, --profile, --signer" in run_cli("verdict", "verify", at("v.json")).out


def test_a_verdict_about_something_else(signed: str, at: Callable[[str], str]) -> None:
    Path(at("t.txt")).write_text("A text of some words that nobody marked.", encoding="utf-8")
    Path(at("u.txt")).write_text("A text of some words that nobody marked!", encoding="utf-8")
    words = ("--profile", signed, "--signing-key", at("k.pem"), "-o", at("v.json"))
    assert run_cli("verdict", "sign", at("t.txt"), *words).status == 0
    stela.create("kgw", model="tiny", key="public").save(at("q.stela"))
    run_cli("key", "signing", "-o", at("other.pem"))
    for option, value, says in (
        ("--text", at("u.txt"), "another text"),
        ("--profile", at("q.stela"), "another profile"),
        ("--signer", "ed25519:" + "B" * 42 + "E", "not with"),
        ("--signer", "ed25519:" + "A" * 43, "small order"),
        ("--signer", "me", "not a public key"),
    ):
        assert_refused(run_cli("verdict", "verify", at("v.json"), option, value), says)
    assert_refused(run_cli("verdict", "verify", signed))


FORGED = "x\nsigned with ed25519:AAAA\r\x1b[2K\u2028\tat noon"
"""Words that would be lines of ours, or wipe one out."""


def resigned(
    at: Callable[[str], str], data: bytes, kind: Literal["profile", "verdict"], **said: Any
) -> bytes:
    """A statement with other words, under the same key: its signature holds."""
    says = json.loads(data)["says"] | said
    return sign(kind, says, read_signing_key(at("k.pem")))


def test_a_signer_s_words_are_no_lines_of_ours(signed: str, at: Callable[[str], str]) -> None:
    members = Archive.read(signed, {"signature.json": 1 << 20}).members
    forged = resigned(at, members["signature.json"], "profile", maker=FORGED, time=FORGED)
    Path(at("f.stela")).write_bytes(Archive.pack({**members, "signature.json": forged}))
    done = run_cli("profile", "verify", at("f.stela"))
    assert done.status == 0, done.err
    assert len(done.out.splitlines()) == 4
    assert not any(line.startswith("signed with ed25519:AAAA") for line in done.out.splitlines())
    assert "x\\nsigned with ed25519:AAAA\\x0d\\x1b[2K\\u2028\\tat" in done.out
    Path(at("t.txt")).write_text("Nobody marked these words, and there are few of them.")
    words = ("--profile", signed, "--signing-key", at("k.pem"), "-o", at("v.json"))
    assert run_cli("verdict", "sign", at("t.txt"), *words).status == 0
    honest = Path(at("v.json")).read_bytes()
    plain = run_cli("verdict", "verify", at("v.json")).out
    said = json.loads(honest)["says"]
    tested = [{"name": FORGED, "key_id": FORGED, "profile_sha256": FORGED}]
    result = {**said["result"], "verdict": FORGED, "p_value": FORGED, "threshold": FORGED}
    changes = {"time": FORGED, "characters": FORGED, "text_sha256": FORGED}
    forged = resigned(at, honest, "verdict", result=result, tested=tested, **changes)
    Path(at("w.json")).write_bytes(forged)
    done = run_cli("verdict", "verify", at("w.json"))
    assert done.status == 0, done.err
    assert len(done.out.splitlines()) == len(plain.splitlines())
    assert not any(line.startswith("signed with ed25519:AAAA") for line in done.out.splitlines())
    assert "\x1b" not in done.out


def test_one_sha256_is_that_of_the_profile(signed: str, at: Callable[[str], str]) -> None:
    """Of the bytes of profile.json: in show, verify, signatures and verdicts, signed or not."""
    members = Archive.read(signed, {"signature.json": 1 << 20}).members
    digest = hashlib.sha256(members["profile.json"]).hexdigest()
    assert json.loads(members["signature.json"])["says"]["profile_sha256"] == digest
    for file in (signed, at("p.stela")):
        assert re.search(rf"SHA-256 +{digest}", run_cli("profile", "show", file).out)
        assert profile_sha256(file) == digest
    assert f"SHA-256 of the profile: {digest}\n" in run_cli("profile", "verify", signed).out
    # The same JSON in another form is another file, and no longer one's own.
    again = json.dumps(json.loads(members["profile.json"])).encode()
    other = {**members, "profile.json": again}
    del other["signature.json"]
    Path(at("other.stela")).write_bytes(Archive.pack(other))
    named = hashlib.sha256(again).hexdigest()
    shown = run_cli("profile", "show", at("other.stela")).out
    assert re.search(rf"SHA-256 +{named}", shown)
    assert "by someone else" in shown
    assert "none (you made or trusted" in run_cli("profile", "show", at("p.stela")).out
    Path(at("t.txt")).write_text("Nobody marked these words, and there are few of them.")
    words = ("--profile", at("other.stela"), "--signing-key", at("k.pem"), "-o", at("v.json"))
    assert run_cli("verdict", "sign", at("t.txt"), *words).status == 0
    assert json.loads(Path(at("v.json")).read_text())["says"]["tested"][0]["profile_sha256"] == named
    refused = run_cli("verdict", "verify", at("v.json"), "--profile", signed)
    assert_refused(refused, "rests on another profile")
