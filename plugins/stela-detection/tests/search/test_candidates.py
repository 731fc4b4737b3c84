"""Candidate keys: read with bounds, checked, never repeated in a message."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from stela_cli.candidate_files import LONGEST, read_candidates, write_new_candidates
from stela_detection.search import candidates as module
from stela_detection.search.candidates import Candidate, candidate_set

import stela_core as stela
from stela_core.profile.epochs import Written

KEY = "0123456789abcdef"


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines))
    path.chmod(0o600)
    return path


def test_lines_are_read_with_what_they_say_of_days(tmp_path: Path) -> None:
    lines = (
        {"key_id": "customer-1", "key": KEY, "plan": "large"},
        "",
        {"key_id": "customer-2", "key": "f" * 16, "since": "2026-11-01", "until": "2026-12-01"},
    )
    first, second = read_candidates(written(tmp_path / "keys.jsonl", *lines))
    assert (first.key_id, first.key, first.since) == ("customer-1", KEY, None)
    assert second.until == date(2026, 12, 1)
    assert KEY not in repr(first)
    assert candidate_set([first, second], 1) == [(first, 0x0123456789ABCDEF), (second, 2**64 - 1)]
    narrowed = candidate_set([first, second], 1, Written.between("2026-12-01", "2026-12-24"))
    assert narrowed == [(first, 0x0123456789ABCDEF)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("no json", "keys.jsonl:1 is not JSON"),
        ([1], "keys.jsonl:1 is not an object"),
        ({"key": KEY}, "key_id: Field required"),
        ({"key_id": "a"}, "key: Field required"),
        ({"key_id": "", "key": KEY}, "key_id: String should have at least 1 character"),
        ({"key_id": "a", "key": [KEY]}, "key: Input should be a valid integer"),
        ({"key_id": "a", "key": KEY, "since": "yesterday"}, "since: Value error, a day is written as"),
        ({"key_id": "a", "key": KEY, "since": "2026-12-01", "until": "2026-12-01"}, "there is no day"),
        ({"key_id": "a", "key": KEY, "note": "x" * LONGEST}, "is a line of more than 16 KiB"),
    ],
)
def test_what_is_no_candidate_is_named_and_not_repeated(tmp_path: Path, line: object, says: str) -> None:
    with pytest.raises(stela.StelaError) as problem:
        read_candidates(written(tmp_path / "keys.jsonl", line))
    assert says in str(problem.value)
    assert KEY not in str(problem.value)


def test_files_without_keys_or_with_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(stela.StelaError, match="holds no key"):
        read_candidates(written(tmp_path / "keys.jsonl", "", ""))
    monkeypatch.setattr(module, "MOST_CANDIDATES", 1)
    two = [{"key_id": n, "key": f"{number:016x}"} for number, n in enumerate("ab")]
    with pytest.raises(stela.StelaError, match="more than 1 keys"):
        read_candidates(written(tmp_path / "keys.jsonl", *two))


def test_a_set_refuses_twins_and_what_is_no_key() -> None:
    def one(name: str, key: str | int) -> Candidate:
        return Candidate(key_id=name, key=key)

    for pair, says in (
        ([one("a", 1), one("a", 2)], "the same key_id"),
        ([one("a", 1), one("b", f"{1:016x}")], "the same key"),
        ([one("a", "12")], "candidate 1: the key is not 16 hex digits"),
        ([one("a", 1 << 64)], "candidate 1: the key is not an integer of 64 bits"),
        ([], "there is no candidate key"),
    ):
        with pytest.raises(stela.StelaError, match=says):
            candidate_set(pair, 1)
    late = Candidate(key_id="a", key=1, since=date(2026, 12, 1))
    with pytest.raises(stela.StelaError, match="no candidate key marked between"):
        candidate_set([late], 1, Written.between("2026-01-01", "2026-01-31"))


def test_new_keys_are_drawn_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys.jsonl"
    write_new_candidates(path, 12)
    drawn = read_candidates(path)
    assert [each.key_id for each in drawn][::11] == ["key-00001", "key-00012"]
    assert len({each.key for each in drawn}) == 12
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(stela.StelaError, match="exists"):
        write_new_candidates(path, 1)


def test_a_file_that_others_may_read_is_noted(tmp_path: Path) -> None:
    path = written(tmp_path / "keys.jsonl", {"key_id": "a", "key": KEY})
    path.chmod(0o644)
    notes: list[str] = []
    read_candidates(path, notes.append)
    assert "chmod 600" in notes[0]
