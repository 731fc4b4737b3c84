"""A service with a register of issued messages."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from stela_serve.examine import Asked, Examiner, Setup
from stela_serve.pool import told_of
from stela_serve.started import started
from stela_testing import assert_refused, run_cli
from stela_testing.texts import ENGLISH

import stela_core as stela
from tests.helpers import new_keys_are
from tests.marked import golden

ENTRY = {"message": "cafe", "for": "order 7", "at": "2026-11-24T12:00:00+00:00"}


class Folder(NamedTuple):
    profiles: Path
    text: str
    """With message cafe."""
    register: Path

    def setup(self, **others: Any) -> Setup:
        size = os.path.getsize(self.register)
        return Setup(str(self.profiles), messages=str(self.register), messages_size=size, **others)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Two profiles, of which one carries messages of 16 bits, and a register of three."""
    root = tmp_path_factory.mktemp("issued")
    (root / "profiles").mkdir()
    profile_of(root / "profiles/plain.stela", "--scheme", "kgw")
    golden("gumbel-16-bits").write_profile(root / "profiles/who.stela")
    entries = [{"message": "0001"}, ENTRY, {"message": "0002"}]
    register = root / "register.jsonl"
    register.write_text("".join(json.dumps(each) + "\n" for each in entries))
    return Folder(root / "profiles", golden("gumbel-16-bits").text("cafe"), register)


def profile_of(path: Path, *options: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # Under some keys the text ends after a few tokens: one key, one text.
        new_keys_are(patch, 0x5EED)
        done = run_cli("profile", "new", *options, "--public-key", "--model", "tiny", "-o", str(path))
    assert done.status == 0, done.err


def test_the_answer_is_that_of_detect(folder: Folder, tmp_path: Path) -> None:
    """With the entry, and with p-values times the number of issued messages, and of marks."""
    (tmp_path / "t.txt").write_text(folder.text)
    told = run_cli(
        "detect", "--json", "--profile", str(folder.profiles / "who.stela"),
        "--messages", str(folder.register), str(tmp_path / "t.txt"),
    ).json[0]  # fmt: skip
    examiner = Examiner(folder.setup(show_issued=True))
    [one] = examiner.results(Asked((folder.text,), "who.stela"))
    assert one == {name: value for name, value in told.items() if name != "source"}
    assert one["message"]["entry"] == ENTRY
    [every] = examiner.results(Asked((folder.text,)))
    assert every["message"]["entry"] == ENTRY
    assert every["p_value"] == pytest.approx(2 * one["p_value"], rel=1e-12)
    [without] = Examiner(Setup(str(folder.profiles))).results(Asked((folder.text,), "who.stela"))
    assert without["p_value"] == pytest.approx(2**16 / 3 * one["p_value"], rel=1e-9)
    [unmarked] = examiner.results(Asked((ENGLISH,)))
    assert "message" not in unmarked


def test_entries_are_private_unless_asked_for(folder: Folder) -> None:
    [private] = Examiner(folder.setup()).results(Asked((folder.text,)))
    assert private["message"]["hex"] == "cafe"
    assert "order 7" not in json.dumps(private)


def test_what_is_appended_is_not_read_and_what_is_changed_is_noticed(folder: Folder, tmp_path: Path) -> None:
    register = tmp_path / "r.jsonl"
    register.write_bytes(folder.register.read_bytes())
    setup = folder._replace(register=register).setup()
    first = told_of(Examiner(setup).hello())
    with register.open("a") as file:
        file.write('{"message": "0003"}\n')
    assert told_of(Examiner(setup).hello()) == first
    register.write_bytes(folder.register.read_bytes().replace(b"0002", b"0004"))
    assert told_of(Examiner(setup).hello()) != first


def test_a_register_that_is_none_is_refused(folder: Folder, tmp_path: Path) -> None:
    def refused(match: str, register: Path, profiles: Path = folder.profiles) -> None:
        with pytest.raises(stela.StelaError, match=match):
            Examiner(Folder(profiles, "", register).setup())

    for content, says in (
        (b"\xff\n", "not JSON"),
        (b'{"message": "10000"}', "16 bits"),
        (b"\n", "no message"),
    ):
        (tmp_path / "r.jsonl").write_bytes(content)
        refused(says, tmp_path / "r.jsonl")
    plain, mixed = tmp_path / "plain", tmp_path / "mixed"
    plain.mkdir()
    profile_of(plain / "p.stela", "--scheme", "kgw")
    refused("no profile's marks carry messages", folder.register, plain)
    mixed.mkdir()
    for bits in ("16", "32"):
        profile_of(mixed / f"{bits}.stela", "--scheme", "gumbel", "--bits", bits)
    refused("messages of 16 and 32 bits", folder.register, mixed)
    serve = ["serve", "--profiles", str(folder.profiles)]
    assert_refused(run_cli(*serve, "--messages", str(tmp_path)), "is not a file")
    assert_refused(run_cli(*serve, "--messages", str(tmp_path / "none")), "cannot read")
    assert_refused(run_cli(*serve, "--show-issued"), "name it with --messages")


@pytest.mark.deep(stand_in="test_the_answer_is_that_of_detect")
@pytest.mark.slow
def test_a_service_shows_what_was_issued(folder: Folder, tmp_path: Path) -> None:
    options = ("--profiles", str(folder.profiles), "--rate", "0", "--workers", "1")
    shown = ("--messages", str(folder.register), "--show-issued")
    with started(tmp_path, *options, *shown) as service:
        body = {"texts": [folder.text, ENGLISH]}
        marked, unmarked = httpx.post(f"{service.url}/v1/detect", json=body, timeout=60).json()["results"]
        described = httpx.get(f"{service.url}/openapi.json").json()
    assert marked["message"]["entry"] == ENTRY
    assert "message" not in unmarked
    assert "entry" in described["components"]["schemas"]["Read"]["properties"]
    (tmp_path / "r.jsonl").write_text("no JSON\n")
    refused = run_cli("serve", *options, "--port", "0", "--messages", str(tmp_path / "r.jsonl"))
    assert_refused(refused, "r.jsonl:1 is not JSON")


def test_a_text_of_two_messages_names_nobody(folder: Folder) -> None:
    """Whatever is asked for, and with or without a register that holds both messages."""
    text = f"{folder.text} {golden('gumbel-16-bits').text('0002')}"
    for setup, profile in (
        (folder.setup(show_issued=True), None),
        (Setup(str(folder.profiles)), "who.stela"),
    ):
        [one] = Examiner(setup).results(Asked((text,), profile))
        assert one["verdict"] == "watermarked"
        assert one["message"] == {"hex": "????", "bits": 16, "sure": False, "error": 1.0, "mixed": True}


@pytest.mark.parametrize(("name", "message"), [("32", "c0ffee07"), ("64", "0123456789abcdef")])
def test_long_messages_are_named(tmp_path: Path, name: str, message: str) -> None:
    """Of a Reed-Solomon code, with its bound."""
    (tmp_path / "profiles").mkdir()
    text = golden(f"gumbel-{name}-bits").text(message)
    golden(f"gumbel-{name}-bits").write_profile(tmp_path / "profiles/who.stela")
    [one] = Examiner(Setup(str(tmp_path / "profiles"))).results(Asked((text,), "who.stela"))
    assert (one["message"]["hex"], one["message"]["sure"]) == (message, True)
    assert one["message"]["error"] < 1e-9
