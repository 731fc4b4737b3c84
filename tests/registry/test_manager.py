from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import stela_run
from stela_models import ModelSource

import stela_core as stela
from stela_core.catalogue import published
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins

GOOD = """
import numpy as np
import stela_core as stela

class Half(stela.Weighting):
    name = "half"
    def weights(self, positions):
        return np.full(positions.count, 0.5)

@stela.hookimpl
def stela_register_weightings():
    return Half
"""


def plugin(folder: Path, name: str, content: str) -> Path:
    file = folder / f"{name}.py"
    file.write_text(content, encoding="utf-8")
    return file


def entry(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str, content: str) -> EntryPoint:
    plugin(folder, f"entry_{name}", content)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, f"entry_{name}", raising=False)
    return EntryPoint(name, f"entry_{name}", "stela")


def test_local_file_registers(tmp_path: Path) -> None:
    registry = stela.create_registry([plugin(tmp_path, "mine", GOOD)])
    assert registry.get(stela.Weighting, "half").__name__ == "Half"


def test_environment_names_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STELA_PLUGINS", str(plugin(tmp_path, "mine", GOOD)))
    assert stela.create_registry().has(stela.Weighting, "half")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("import no_such_library", "No module named 'no_such_library'"),
        ("syntax error here", "SyntaxError"),
        ("import stela_core as s\n@s.hookimpl\ndef stela_register_taggers(unknown): ...", "unknown"),
        ("import stela_core as s\n@s.hookimpl\ndef stela_register_taggers(): return 5", "not a Tagger class"),
        ("import stela_core as s\n@s.hookimpl\ndef stela_register_schemes(): 1 / 0", "ZeroDivisionError"),
    ],
)
def test_broken_plugin_is_reported_and_the_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, reason: str
) -> None:
    broken = entry(monkeypatch, tmp_path, "broken", content)
    good = entry(monkeypatch, tmp_path, "good", GOOD)
    registry = Registry(create_plugins(installed=[broken, good]))
    assert registry.has(stela.Weighting, "half")
    [report] = registry.broken
    assert report.name == "broken"
    assert reason in report.reason


def test_broken_local_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match=r"mine.py.* fails: ZeroDivisionError"):
        stela.create_registry([plugin(tmp_path, "mine", "1 / 0")])
    with pytest.raises(stela.StelaError, match="does not exist"):
        stela.create_registry([tmp_path / "none.py"])


def test_asking_for_a_broken_plugin_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = entry(monkeypatch, tmp_path, "latin", "import no_such_library")
    registry = Registry(create_plugins(installed=[broken]))
    with pytest.raises(stela.StelaError, match=r"latin.*failed to load.*no_such_library"):
        registry.get(stela.Tagger, "latin")


def test_duplicate_name_names_both_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry(monkeypatch, tmp_path, name, GOOD) for name in ("one", "two")]
    registry = Registry(create_plugins(installed=entries))
    [report] = registry.broken
    assert "entry_one.Half" in report.reason
    assert "entry_two.Half" in report.reason


def test_suggestion_for_a_misspelt_name(registry: stela.Registry) -> None:
    with pytest.raises(stela.StelaError, match=r'unknown scheme "kwg". hint: did you mean "kgw"\?'):
        registry.get(stela.Scheme, "kwg")
    taggers = "ar, ctb, de, es, fr, hi, id, ja, penn, pt, ru, sejong, tr, ud-spacy, ud-stanza, vi"
    with pytest.raises(stela.StelaError, match=f"unknown tagger .* known are: {taggers}$"):
        registry.get(stela.Tagger, "zzzzzz")


def test_a_file_that_registers_nothing_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(stela.StelaError, match=r"mine.py. registers nothing.*stela_register_weightings"):
        stela.create_registry([plugin(tmp_path, "mine", "x = 1")])
    forgotten = GOOD.replace("@stela.hookimpl\n", "")
    with pytest.raises(
        stela.StelaError, match=r"registers nothing.*@stela.hookimpl above def stela_register_w"
    ):
        stela.create_registry([plugin(tmp_path, "forgotten", forgotten)])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("def weights(", "def wheights("), "Half lacks weights, which every Weighting defines"),
        (('name = "half"', "x = 1"), "Half has no name"),
        (('name = "half"', "name = 7"), "the name of Half is 7, not a string"),
        (('name = "half"', 'name = "a+b"'), "the name of Half, 'a+b', has more than letters"),
        (('name = "half"', 'name = ""'), "the name of Half, '', has more than letters"),
        (('name = "half"', 'name = "\\x1b[2J"'), r"'\x1b[2J', has more than letters"),
        (('name = "half"', 'name = "stela"'), 'two weightings are named "stela"'),
        (('name = "half"', 'name = "half"; Parameters = {}'), "Half.Parameters is not a class of parameters"),
        (
            ("return Half", "return Half(stela.Parameters())"),
            "returned an object of Half, not a Weighting class",
        ),
        (("return Half", "return None"), "returned None, not a Weighting class"),
        (("return Half", "return []"), "the weighting hook returned no class"),
        (("return Half", "raise OSError(5, 'no')"), "OSError"),
        (("return Half", "return [Half, 3]"), "returned 3, not a Weighting class"),
        (
            ("stela_register_weightings", "stela_register_weighting"),
            "unknown hook 'stela_register_weighting'",
        ),
        (("(stela.Weighting)", "(stela.Scheme)"), "not a Weighting class"),
        (
            ('name = "half"', 'name = "half"; needs = frozenset({"txt"})'),
            "Half.needs has 'txt', which is not contexts or text or",
        ),
    ],
)
def test_a_file_with_a_broken_class_fails_with_the_reason(
    tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    content = GOOD.replace(*change)
    assert content != GOOD
    with pytest.raises(
        stela.StelaError, match=f"mine.py. fails: .*{re.escape(reason)}.* hint: correct the file"
    ):
        stela.create_registry([plugin(tmp_path, "mine", content)])


def test_a_hasher_has_the_parameters_of_hashers(tmp_path: Path) -> None:
    content = """
import stela_core as stela

class Own(stela.GreenList):
    name = "own"
    Parameters = stela.Parameters
    def seeds(self, contexts): ...
    def green(self, seeds, tokens): ...

@stela.hookimpl
def stela_register_hashers():
    return Own
"""
    with pytest.raises(stela.StelaError, match=r"Own.Parameters has no gamma: .*stela.HasherParameters"):
        stela.create_registry([plugin(tmp_path, "own", content)])


def test_a_scheme_has_the_parameters_of_schemes(tmp_path: Path) -> None:
    content = """
import stela_core as stela

class Own(stela.Scheme):
    name = "own"
    Parameters = stela.Parameters

@stela.hookimpl
def stela_register_schemes():
    return Own
"""
    with pytest.raises(stela.StelaError, match=r"Own.Parameters has no delta: .*stela.SchemeParameters"):
        stela.create_registry([plugin(tmp_path, "own", content)])
    without = content.replace("    Parameters", "    weights_are_biases = True\n    Parameters")
    assert stela.create_registry([plugin(tmp_path, "bare", without)]).has(stela.Scheme, "own")


def test_what_is_published_but_not_installed_has_a_command(registry: stela.Registry) -> None:
    bare = Registry(create_plugins(installed=[]))
    for interface, name, distribution in (
        (stela.Tagger, "ud-spacy", "stela-ud"),
        (stela.Scheme, "learned", "stela-learned"),
        (stela_run.Attack, "edits-swap", "stela-attacks"),
        (ModelSource, "tiny", "stela-tiny"),
    ):
        with pytest.raises(
            stela.StelaError, match=f'"{name}" is not installed. hint: pip install {distribution}$'
        ):
            bare.get(interface, name)
    with pytest.raises(stela.StelaError, match='unknown scheme "penn"'):
        bare.get(stela.Scheme, "penn")
    # It is installed, and has no such tagger: installing it again would not help.
    with pytest.raises(stela.StelaError, match=r'unknown tagger "ud-spacey".*did you mean "ud-spacy"'):
        registry.get(stela.Tagger, "ud-spacey")


def test_what_is_published_is_what_the_repository_holds() -> None:
    done = subprocess.run([sys.executable, "-m", "scripts.write_published", "--check"], check=False)
    assert done.returncode == 0
    files = (Path(__file__).parents[2] / "plugins").glob("stela-*/pyproject.toml")
    projects = [tomllib.loads(file.read_text(encoding="utf-8"))["project"] for file in files]
    # A library that plugins share announces none.
    announced = [name for project in projects for name in project.get("entry-points", {}).get("stela", {})]
    assert sorted(published().components) == sorted(announced)
