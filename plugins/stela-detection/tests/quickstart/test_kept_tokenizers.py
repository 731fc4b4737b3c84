"""What is kept of large tokenizers in the folder of state: used while it is what was written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from stela_detection.quickstart.late_tokenizer import LateTokenizer
from stela_testing.texts import ENGLISH
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.files.fingerprint import sha256
from stela_core.files.state import keep, state_folder
from stela_core.profile.archive import Archive
from stela_core.text import own_tokenizer
from stela_core.text.own_tokenizer import OwnTokenizer
from stela_core.text.tokenizer import parse_tokenizer
from tests.safety import honest

PROSE = ENGLISH[:600]


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_tokenizer, "LARGE", 0)
    monkeypatch.setenv("STELA_STATE", str(tmp_path / "state"))


@pytest.fixture
def model(registry: stela.Registry, tmp_path: Path) -> Path:
    """The file of a tokenizer, its keys in another order than the canonical form has them."""
    file = tmp_path / "tokenizer.json"
    file.write_bytes(honest.sentencepiece().to_str(pretty=True).encode())
    return file


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "p.stela"
    stela.create(tokenizer=honest.sentencepiece(), language="en", scheme="kgw", key=7).save(path, force=True)
    return path


def kept(kind: str) -> list[Path]:
    return sorted(state_folder().glob(f"{kind}-[0-9a-f]*"))


def is_late(watermark: stela.Watermark) -> bool:
    return isinstance(watermark._tokenizer, LateTokenizer)


def test_whoever_makes_a_profile_reads_it_by_part(profile: Path) -> None:
    mark = stela.load(profile, key=7)
    assert is_late(mark)
    (state_folder() / "tokenizers").unlink()
    checked = stela.load(profile, key=7)
    assert not is_late(checked)
    assert mark.detect(PROSE) == checked.detect(PROSE)
    assert mark.tokenizer.to_str() == checked.tokenizer.to_str()


def test_an_index_is_made_the_second_time(profile: Path) -> None:
    shutil.rmtree(state_folder())
    assert [is_late(stela.load(profile, key=7)) for _ in range(3)] == [False, False, True]
    assert [file.stat().st_mode & 0o777 for file in kept("tokenizer")] == [0o600]


def test_an_index_that_was_changed_is_made_again(profile: Path) -> None:
    expected = stela.load(profile, key=7).detect(PROSE)
    [index] = kept("tokenizer")
    whole = index.read_bytes()
    for changed in (whole[:-1], whole.replace(b"th", b"ht", 1), b""):
        index.write_bytes(changed)
        again = stela.load(profile, key=7)
        assert not is_late(again)
        assert again.detect(PROSE) == expected
        assert index.read_bytes() == whole
        assert is_late(stela.load(profile, key=7))
    index.unlink()
    assert not is_late(stela.load(profile, key=7))


def test_a_kind_without_an_index(tmp_path: Path) -> None:
    path = tmp_path / "u.stela"
    stela.create(tokenizer=honest.unigram(), language="en", scheme="kgw", key=7).save(
        path, key_file=tmp_path / "k"
    )
    first, second = stela.load(path, key=7), stela.load(path, key=7)
    assert not is_late(second)
    assert first.detect(PROSE) == second.detect(PROSE)
    assert (state_folder() / "tokenizers").read_text().endswith(" none\n")
    assert kept("tokenizer") == []


def test_a_file_is_written_in_canonical_form_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = OwnTokenizer.of_file(model)
    assert first.data == OwnTokenizer.of(Tokenizer.from_file(str(model))).data
    reads: list[str] = []

    def counted(data: bytes, source: str) -> Tokenizer:
        reads.append(source)
        return parse_tokenizer(data, source)

    monkeypatch.setattr(own_tokenizer, "parse_tokenizer", counted)
    again = OwnTokenizer.of_file(model)
    assert reads == []
    assert again.data == first.data
    ids = range(len(first.tokens))
    assert [again.tokens[index] for index in ids] == [first.tokens[index] for index in ids]
    [form] = kept("canonical")
    for changed in (form.read_bytes()[:-9], b"not deflated", b""):
        form.write_bytes(changed)
        assert OwnTokenizer.of_file(model).data == first.data
    assert len(reads) == 3
    model.write_bytes(model.read_bytes() + b"\n")
    assert OwnTokenizer.of_file(model).data == first.data
    assert len(reads) == 4
    assert len(kept("canonical")) == 1


def test_profiles_are_the_same_bytes(model: Path, tmp_path: Path, registry: stela.Registry) -> None:
    made = [
        stela.create(model=str(model.parent), language="en", scheme="kgw", key="5354454c41303231")
        for _ in range(2)
    ]
    for number, mark in enumerate(made):
        mark.save(tmp_path / f"{number}.stela", key_file=tmp_path / f"{number}.key")
    first, second = (Archive.read(tmp_path / f"{number}.stela") for number in range(2))
    assert first.tokenizer == second.tokenizer
    assert first.profile.vocab_size == second.profile.vocab_size
    assert is_late(made[1])
    assert made[0].detect(PROSE) == made[1].detect(PROSE)


def test_nothing_is_kept_where_nothing_can_be(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = model.parent / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv("STELA_STATE", str(blocked))
    first, second = OwnTokenizer.of_file(model), OwnTokenizer.of_file(model)
    assert first.data == second.data
    assert not isinstance(second.tokenizer, LateTokenizer)


def test_the_oldest_are_taken_away() -> None:
    for number in range(4):
        assert keep("kind", f"{number}", b"x", 3)
        os.utime(state_folder() / f"kind-{number}", (number, number))
    assert keep("kind", "4", b"x", 3)
    assert sorted(file.name for file in state_folder().iterdir()) == ["kind-2", "kind-3", "kind-4"]
    assert keep("kind", "2", b"y", 3)
    assert sha256((state_folder() / "kind-2").read_bytes()) == sha256(b"y")
