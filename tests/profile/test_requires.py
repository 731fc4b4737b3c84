"""A profile says what it needs, and a missing plugin's error what to install: this project's alone."""

from __future__ import annotations

import json
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import stela_core as stela
from stela_core.profile.archive import Archive
from stela_core.registry.components import Registry
from stela_core.registry.manager import Origin, create_plugins


def with_plugins(*names: str) -> Registry:
    """As after ``pip install stela-core`` and these plugins."""
    return Registry(create_plugins(installed=[e for e in entry_points(group="stela") if e.name in names]))


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory, registry: stela.Registry) -> Path:
    path = tmp_path_factory.mktemp("requires") / "p.stela"
    stela.create("stela", model="tiny", tagger="penn", key="public", registry=registry).save(path)
    return path


def changed(profile: Path, to: Path, **fields: Any) -> Path:
    """A copy with other fields in profile.json; a value that is a mapping is merged in."""
    with zipfile.ZipFile(profile) as source, zipfile.ZipFile(to, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "profile.json":
                content = json.loads(data)
                for field, value in fields.items():
                    merged = {**content[field], **value} if isinstance(value, dict) else value
                    content[field] = merged
                data = json.dumps(content).encode()
            target.writestr(name, data)
    return to


def error(path: Path, registry: Registry) -> stela.StelaError:
    with pytest.raises(stela.StelaError) as caught:
        stela.load(path, registry=registry)
    return caught.value


@pytest.mark.slow
def test_a_profile_names_the_distributions_of_its_parts(profile: Path, registry: stela.Registry) -> None:
    assert Archive.read(profile).profile.requires == ("stela-penn", "stela-stela")
    for scheme, expected in {
        "uniform": (),
        "kgw+ewd": ("stela-ewd", "stela-kgw"),
        "unigram": ("stela-unigram",),
        "learned-text": ("stela-learned",),
    }.items():
        made = stela.create(
            scheme, model="tiny", tagger="penn", language="en", key="public", registry=registry
        )
        assert tuple(name for name in made.profile.requires if name != "stela-penn") == expected


@pytest.mark.slow
def test_one_command_installs_all_that_is_missing(profile: Path, tmp_path: Path) -> None:
    bare = error(profile, with_plugins())
    assert bare.message == 'the profile needs scheme "stela" and tagger "penn", not installed here.'
    assert bare.hint == "pip install stela-stela stela-penn"
    assert error(profile, with_plugins("stela")).hint == "pip install stela-penn"
    # As a profile of before, which names no distributions.
    old = changed(profile, tmp_path / "old.stela", requires=[])
    assert error(old, with_plugins("penn")).hint == "pip install stela-stela"


def test_no_word_of_a_profile_reaches_pip(profile: Path, tmp_path: Path, registry: stela.Registry) -> None:
    path = tmp_path / "p.stela"
    evil = ["evil-package", "stela-evil", "stela-kgw"]
    found = error(changed(profile, path, scheme={"name": "evil"}, requires=evil), registry)
    assert "evil-package, stela-evil, which is not known here" in found.hint
    assert "pip install" not in found.hint
    found = error(changed(profile, path, scheme={"name": "evil"}, requires=evil), with_plugins("penn"))
    assert found.hint.startswith("pip install stela-kgw; the profile names evil-package")
    found = error(changed(profile, path, scheme={"name": "stela-evil; rm -rf"}), with_plugins("penn"))
    assert found.hint == "pip install stela-stela"
    found = error(changed(profile, path, scheme={"name": "\x1b[2J" + "x" * 999}), registry)
    assert "\x1b" not in str(found)
    assert len(found.message) < 200
    assert "--plugin FILE" in found.hint


@pytest.mark.parametrize(
    "names",
    [
        ["evil package"],
        ["-r/etc/passwd"],
        ["evil; rm"],
        ["git+https://example.org/x"],
        ["x" * 65],
        ["a\n"],
        ["\u0430"],
        [""],
        ["a"] * 33,
        [7],
        "stela-penn",
    ],
)
def test_what_is_no_name_is_refused(
    profile: Path, tmp_path: Path, registry: stela.Registry, names: Any
) -> None:
    found = error(changed(profile, tmp_path / "p.stela", requires=names), registry)
    assert "is not a valid profile: requires" in found.message


def test_a_third_partys_distribution_is_named_and_not_recommended(tmp_path: Path) -> None:
    class Mine(stela.Scheme):
        name = "mine"

    class Plugin:
        @staticmethod
        @stela.hookimpl
        def stela_register_schemes() -> type[stela.Scheme]:
            return Mine

    plugins = create_plugins(
        installed=[e for e in entry_points(group="stela") if e.name in ("tiny", "models")]
    )
    plugins.add("mine", Plugin(), Origin("acme-marks", "1.0"))
    path = tmp_path / "p.stela"
    stela.create("mine", model="tiny", key="public", registry=Registry(plugins)).save(path)
    assert Archive.read(path).profile.requires == ("acme-marks",)
    found = error(path, with_plugins())
    assert found.message == 'the profile needs scheme "mine", not installed here.'
    assert found.hint.startswith("the profile names acme-marks, which is not known here")


def test_a_broken_plugin_says_why_it_is_broken(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    installed = [e for e in entry_points(group="stela") if e.name == "stela"]
    installed.append(EntryPoint("penn", "no_such_module", "stela"))
    found = error(profile, Registry(create_plugins(installed=installed)))
    assert 'plugin "penn" failed to load' in found.message
    assert "no_such_module" in found.hint
