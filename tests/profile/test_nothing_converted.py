"""A profile's numbers are numbers: what one reader of JSON would convert and another refuses, all refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stela_core as stela
from stela_core.parameters import parse_parameters
from stela_core.profile.archive import Archive
from stela_core.profile.schema import parse_profile


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What lies in a profile's file."""
    path = tmp_path_factory.mktemp("profile") / "p.stela"
    stela.create("gumbel", model="tiny", key="public").save(path)
    return dict(Archive.read(path).members)


def changed(members: dict[str, bytes], where: tuple[str, ...], value: Any) -> bytes:
    """The text of profile.json with one value replaced."""
    profile = json.loads(members["profile.json"])
    inside = profile
    for name in where[:-1]:
        inside = inside.setdefault(name, {})
    inside[where[-1]] = value
    return json.dumps(profile).encode()


@pytest.mark.parametrize(
    ("where", "value", "problem"),
    [
        (("vocab_size",), "100", "vocab_size: input should be a valid integer"),
        (("min_tokens",), True, "min_tokens: input should be a valid integer"),
        (("alpha",), "0.001", "alpha: input should be a valid number"),
        (("hasher", "context_width"), "4", "hasher.context_width: input should be a valid integer"),
        (("vocab_size",), 1 << 53, "vocab_size: input should be less than or equal to 9007199254740991"),
        (("min_tokens",), 1e300, "min_tokens: input should be less than or equal to 9007199254740991"),
    ],
)
def test_fields(members: dict[str, bytes], where: tuple[str, ...], value: Any, problem: str) -> None:
    with pytest.raises(stela.StelaError, match=problem):
        parse_profile(changed(members, where, value), "it")


@pytest.mark.parametrize(
    ("where", "value", "problem"),
    [
        (("scheme", "parameters", "repeats"), None, "repeats: input should be"),
        (("hasher", "parameters", "once"), 1, "once: input should be a valid boolean"),
        (("hasher", "parameters", "once"), "false", "once: input should be a valid boolean"),
    ],
)
def test_parameters(
    members: dict[str, bytes], tmp_path: Path, where: tuple[str, ...], value: Any, problem: str
) -> None:
    path = tmp_path / "p.stela"
    path.write_bytes(Archive.pack({**members, "profile.json": changed(members, where, value)}))
    with pytest.raises(stela.StelaError, match=problem):
        stela.load(path)


def test_whole_numbers_may_be_written_as_floats(members: dict[str, bytes]) -> None:
    text = members["profile.json"].decode()
    size = json.loads(text)["vocab_size"]
    changed = text.replace(f'"vocab_size": {size}', f'"vocab_size": {size}.0').encode()
    assert changed != members["profile.json"]
    read, as_it_was = parse_profile(changed, "it"), parse_profile(members["profile.json"], "it")
    # Another file, and so another SHA-256, that says the same.
    assert read.model_dump() == as_it_was.model_dump()


def test_so_may_those_of_parameters() -> None:
    class Counted(stela.Parameters):
        count: int = 0
        share: float = 0.0
        each: tuple[int, ...] = ()

    given = {"count": 8.0, "share": 1, "each": [2.0, 3]}
    assert parse_parameters(Counted, given, "it", read=True) == Counted(count=8, share=1.0, each=(2, 3))
    for wrong in ({"count": 8.5}, {"count": "8"}, {"share": True}, {"each": ["2"]}):
        with pytest.raises(stela.StelaError, match="it: "):
            parse_parameters(Counted, wrong, "it", read=True)


def test_no_hash_context(members: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "p.stela"
    path.write_bytes(
        Archive.pack({**members, "profile.json": changed(members, ("hasher", "context_width"), 0)})
    )
    assert stela.load(path).detect("One seed is that of all contexts.").scored_tokens > 0
