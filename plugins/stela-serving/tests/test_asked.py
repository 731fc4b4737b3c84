"""Settings, policies, and what requests may ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stela_serving.asked import profile_for
from stela_serving.settings import DEFAULT_ON, OPT_IN, POLICIES, REQUIRED, ServerSettings

import stela_core as stela

ONE = {"a": Path("a.stela")}
TWO = {**ONE, "b": Path("b.stela")}


@pytest.fixture
def folder(registry: stela.Registry, tmp_path: Path) -> Path:
    """A folder of two profiles with their keys beside them."""
    for name in ("kgw", "gumbel"):
        mark = stela.create(name, model="tiny", key=7, registry=registry)
        mark.save(tmp_path / f"{name}.stela", key_file=tmp_path / f"{name}.txt")
    return tmp_path


@pytest.mark.parametrize(
    ("policy", "wish", "profile"),
    [
        (REQUIRED, None, "a"),
        (DEFAULT_ON, None, "a"),
        (OPT_IN, None, None),
        *((policy, wish, "a") for policy in POLICIES for wish in ("on", "a", True, 1, 1.0)),
        *((policy, wish, None) for policy in (DEFAULT_ON, OPT_IN) for wish in ("off", False, 0, 0.0)),
    ],
)
def test_what_a_policy_makes_of_a_wish(policy: str, wish: Any, profile: str | None) -> None:
    settings = ServerSettings(ONE, policy)
    assert profile_for(None if wish is None else {"stela": wish}, settings) == profile
    assert profile_for({"other": 1} | ({} if wish is None else {"stela": wish}), settings) == profile


@pytest.mark.parametrize("wish", ["off", False, 0])
def test_nobody_opts_out_where_the_server_marks_all(wish: Any) -> None:
    with pytest.raises(stela.StelaError, match="this server marks all texts"):
        profile_for({"stela": wish}, ServerSettings(ONE, REQUIRED))


@pytest.mark.parametrize("policy", POLICIES)
def test_of_several_profiles_one_is_named(policy: str) -> None:
    settings = ServerSettings(TWO, policy)
    assert profile_for({"stela": "b"}, settings) == "b"
    with pytest.raises(stela.StelaError, match=r"has 2 profiles: a, b\. hint: name one"):
        profile_for({"stela": "on"}, settings)
    if policy == OPT_IN:
        assert profile_for({}, settings) is None
    else:
        with pytest.raises(stela.StelaError, match="has 2 profiles"):
            profile_for({}, settings)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"stela": "c"}, 'there is no profile "c" here. hint: known are: a, b'),
        ({"stela": ""}, "\"stela\" is '', of type str"),
        (
            {"stela": 2},
            '"stela" is 2, of type int. hint: give a profile\'s name, on (true, 1) or off (false, 0)',
        ),
        ({"stela": -1}, '"stela" is -1, of type int'),
        ({"stela": 0.5}, '"stela" is 0.5, of type float'),
        ({"stela": float("nan")}, '"stela" is nan, of type float'),
        ({"stela": "true"}, 'there is no profile "true" here. hint: known are: a, b'),
        ({"stela": ["a" * 99]}, f'"stela" is [\'{"a" * 38}, of type list'),
        ({"stela": ["a"]}, "of type list"),
        ({"stela": None}, "of type NoneType"),
        ({"stela_profile": "a"}, 'a request has no argument "stela_profile"'),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(stela.StelaError) as raised:
        profile_for(arguments, ServerSettings(TWO, OPT_IN))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_settings_of_the_environment(folder: Path) -> None:
    settings = ServerSettings.read({"STELA_PROFILE": str(folder), "STELA_POLICY": "opt-in"})
    assert (list(settings.profiles), settings.policy) == (["gumbel", "kgw"], "opt-in")
    one = ServerSettings.read({"STELA_PROFILE": str(folder / "kgw.stela"), "STELA_RECORD": "r.jsonl"})
    assert (list(one.profiles), one.policy, one.record) == (["kgw"], "required", Path("r.jsonl"))


def test_keys_lie_in_a_file_or_in_a_folder(
    folder: Path, tmp_path: Path, registry: stela.Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STELA_KEY", raising=False)
    loaded = ServerSettings.read({"STELA_PROFILE": str(folder), "STELA_KEY_FILE": str(folder)}).load(registry)
    assert {name: mark.parts.hasher.key for name, mark in loaded.items()} == {"kgw": 7, "gumbel": 7}
    (tmp_path / "kgw").mkdir()
    (tmp_path / "kgw" / "winter.txt").write_bytes((folder / "kgw.txt").read_bytes())
    (tmp_path / "kgw" / "spring.txt").write_text(f"{8:016x}")
    one = {"STELA_PROFILE": str(folder / "kgw.stela")}
    of_epochs = ServerSettings.read({**one, "STELA_KEY_FILE": str(tmp_path)}).load(registry)
    assert of_epochs["kgw"].parts.hasher.key == 7
    ServerSettings.read({**one, "STELA_KEY_FILE": str(folder / "kgw.txt")}).load(registry)
    with pytest.raises(stela.StelaError, match="is secret"):
        ServerSettings.read(one).load(registry)
    monkeypatch.setenv("STELA_KEY", f"{7:016x}")
    ServerSettings.read(one).load(registry)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "STELA_PROFILE is not set"),
        ({"STELA_PROFILE": "none.stela"}, "which is not a file"),
        ({"STELA_PROFILE": "empty"}, "holds no profile"),
        ({"STELA_PROFILE": "names"}, "its name means whether to mark"),
        (
            {"STELA_PROFILE": "a.stela", "STELA_POLICY": "requird"},
            'not a policy. hint: did you mean "required"?',
        ),
    ],
)
def test_settings_that_are_wrong(
    environment: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "names"):
        Path(name).mkdir()
    Path("names/off.stela").touch()
    with pytest.raises(stela.StelaError) as raised:
        ServerSettings.read(environment)
    assert said in str(raised.value)
