"""The list of one's own profiles: kept apart, bounded, and never in the way."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.files.state import VARIABLE
from stela_core.profile import provenance
from stela_core.profile.create import Settings
from stela_core.profile.provenance import trusted
from stela_core.profile.schema import Profile
from tests.tiers import Draws


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of state that is not there yet."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "a" / "state"))
    return tmp_path / "a" / "state"


@pytest.fixture(scope="module")
def profiles(registry: stela.Registry, tokenizer: Tokenizer) -> list[Profile]:
    return [Settings("kgw").create(registry, tokenizer, key, public=True).archive.profile for key in range(4)]


def test_what_was_made_here_is_known_again(
    state: Path, profiles: list[Profile], registry: stela.Registry
) -> None:
    first, second, *_ = profiles
    assert first not in trusted
    assert trusted.provenance_of(first, registry).caveat
    assert trusted.add(first)
    assert trusted.add(first)
    assert trusted.add(second)
    assert first in trusted
    assert trusted.provenance_of(first, registry).caveat is None
    assert trusted.remove(first)
    assert trusted.remove(first)
    assert (first in trusted, second in trusted) == (False, True)
    assert len(list(state.iterdir())) == 1


def test_no_table_is_hashed_for_one_s_own(
    state: Path, profiles: list[Profile], registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[Path] = []
    monkeypatch.setattr(
        "stela_core.registry.components.digest_of_table", lambda path: hashed.append(path) or ""
    )
    with_table = profiles[0].model_copy(update={"table_sha256": "0" * 64})
    trusted.add(with_table)
    assert trusted.provenance_of(with_table, registry).caveat is None
    assert not hashed
    trusted.remove(with_table)
    assert trusted.provenance_of(with_table, registry).foreign_table
    assert len(hashed) > 10


def test_any_change_makes_it_another_profile(state: Path, profiles: list[Profile]) -> None:
    first = profiles[0]
    trusted.add(first)
    for change in ({"alpha": 0.01}, {"table_sha256": "0" * 64}, {"tokenizer_sha256": "0" * 64}):
        assert first.model_copy(update=change) not in trusted


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing on Windows")
def test_the_list_is_the_user_s_alone_and_holds_hashes(state: Path, profiles: list[Profile]) -> None:
    trusted.add(profiles[0])
    (file,) = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert (file.name, file.read_text()) == (f"profile-{profiles[0].digest}", "own\n")


def test_the_oldest_are_forgotten(
    state: Path, profiles: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provenance, "MOST_REMEMBERED", 3)
    for profile in profiles:
        trusted.add(profile)
    assert [profile in trusted for profile in profiles] == [False, True, True, True]


def test_the_list_of_earlier_versions_is_read(state: Path, profiles: list[Profile]) -> None:
    first, second, third, _ = profiles
    state.mkdir(parents=True)
    (state / "profiles").write_text(f"{first.digest}\n{second.digest}\n")
    assert [profile in trusted for profile in (first, second, third)] == [True, True, False]
    assert trusted.add(first)
    assert trusted.remove(second)
    assert [profile in trusted for profile in (first, second, third)] == [True, False, False]
    assert trusted.add(second)
    assert second in trusted


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"not a hash\n" * 3, b"0" * (2 << 20)])
def test_a_damaged_list_is_an_empty_one(state: Path, profiles: list[Profile], content: bytes) -> None:
    state.mkdir(parents=True)
    (state / "profiles").write_bytes(content)
    (state / f"profile-{profiles[1].digest}").write_bytes(content)
    for profile in profiles[:2]:
        assert profile not in trusted
        assert trusted.add(profile)
        assert profile in trusted


class File(NamedTuple):
    """What is known of a profile by its digest."""

    digest: str


def at_once(jobs: Sequence[Callable[[], bool]]) -> list[bool]:
    """What these return, each in a process of its own; all begin at the same time."""
    started, start = os.pipe()
    children = []
    for job in jobs:
        if not (child := os.fork()):
            status = 1
            try:
                os.close(start)
                os.read(started, 1)  # until the parent closes it
                status = not job()
            finally:
                os._exit(status)
        children.append(child)
    os.close(start)
    statuses = [os.waitpid(child, 0)[1] for child in children]
    os.close(started)
    return [status == 0 for status in statuses]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_many_processes_lose_nothing(state: Path, draws: Draws) -> None:
    """60; in ``make test`` 20: to copy a process that has loaded models costs 0.1 s."""
    files = [File(f"{number:064x}") for number in range(draws(60, 20))]
    made, given = files[: draws(40, 8)], files[draws(40, 8) :]
    for file in given[: len(given) // 2]:
        trusted.add(file)
    (state / "profiles").write_text("".join(f"{file.digest}\n" for file in given[len(given) // 2 :]))
    jobs = [partial(trusted.add, file) for file in made]
    jobs += [partial(trusted.remove, file) for file in given]
    assert all(at_once(jobs))
    assert [file in trusted for file in files] == [True] * len(made) + [False] * len(given)


def test_a_home_that_cannot_be_written_to_is_no_error(
    tmp_path: Path, profiles: list[Profile], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "state"))
    assert not trusted.add(profiles[0])
    assert profiles[0] not in trusted
