"""A large tokenizer is checked once on a machine: after that it is read as it is, to the same effect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stela_detection.quickstart import checked_before
from stela_detection.quickstart.remembered import MOST, read_lines
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.files.fingerprint import sha256
from stela_core.files.state import state_folder
from stela_core.profile.archive import Archive
from stela_core.text import own_tokenizer, tokenizer_form
from stela_core.text import tokenizer as reading
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import read_checked

PROSE = "The harbour was quiet when the last boat came in, and nobody said a word about the storm. " * 2


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_tokenizer, "LARGE", 0)
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "state"))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line for each tokenizer whose form is checked."""
    seen: list[str] = []
    check = tokenizer_form.check_form

    def counted(content: object) -> None:
        seen.append("checked")
        check(content)

    monkeypatch.setattr(reading, "check_form", counted)
    return seen


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.stela"
    stela.create(model="tiny", language="en", scheme="kgw", key=7).save(path)
    return path


def test_checked_once_and_detected_alike(file: Path, checks: list[str]) -> None:
    checks.clear()
    made_here = stela.load(file, key=7)
    assert checks == []
    (state_folder() / "tokenizers").unlink()
    first, again = stela.load(file, key=7), stela.load(file, key=7)
    assert checks == ["checked"]
    assert made_here.detect(PROSE) == first.detect(PROSE)
    assert first.detect(PROSE) == again.detect(PROSE)
    assert len(first.tokens) == len(again.tokens)
    assert first.tokens.texts().tolist() == again.tokens.texts().tolist()
    assert (state_folder() / "tokenizers").stat().st_mode & 0o777 == 0o600


def test_bytes_are_the_same_when_they_are_made_later(tokenizer: Tokenizer) -> None:
    whole = TokenBytes.of(tokenizer)
    later = TokenBytes.of_known_size(tokenizer, len(whole))
    ids = range(-1, len(whole) + 2)
    assert [whole[index] for index in ids] == [later[index] for index in ids]
    assert [whole.is_text(index) for index in ids] == [later.is_text(index) for index in ids]
    assert whole.special == later.special
    assert whole.only([5, 9])[5] == later.only([5, 9])[5]


def test_one_that_was_changed_or_pads_is_checked(file: Path, checks: list[str], tokenizer: Tokenizer) -> None:
    stela.load(file, key=7)
    archive = Archive.read(file)
    content = json.loads(archive.tokenizer) | {"padding": None, "truncation": None}
    content["truncation"] = {"max_length": 4, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}
    data = json.dumps(content).encode()
    changed = archive.profile.model_copy(update={"tokenizer_sha256": sha256(data)})
    Archive(changed, data, archive.table).write(file)
    checks.clear()
    lengths = [len(stela.load(file, key=7).tokenizer.encode(PROSE).ids) for _ in range(3)]
    assert len(checks) == 3
    assert lengths[0] > 4
    assert len(set(lengths)) == 1
    assert read_checked(data, "here").truncation is None


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n", b"abc 1 2\n", b"0" * (2 << 20)])
def test_a_file_that_is_damaged_says_nothing(file: Path, checks: list[str], content: bytes) -> None:
    stela.load(file, key=7)
    (state_folder() / "tokenizers").write_bytes(content)
    checks.clear()
    stela.load(file, key=7)
    stela.load(file, key=7)
    assert checks == ["checked"]


def test_versions_and_number_are_kept(file: Path, checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stela.load(file, key=7)
    monkeypatch.setattr(checked_before, "checker", lambda: "other/1")
    checks.clear()
    stela.load(file, key=7)
    assert checks == ["checked"]
    for number in range(MOST + 9):
        checked_before.remember_checked(f"{number:064x}", 5)
    lines = [line for line in read_lines("tokenizers") if line]
    assert len(lines) == MOST
    assert lines[-1] == f"{MOST + 8:064x} 5 other/1"
    assert checked_before._known(f"{MOST + 8:064x}")
    assert checked_before._known("f" * 64) is None
