from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import stela_core as stela
from stela_core.manager import create_plugins
from stela_core.registry import Registry

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
    with pytest.raises(
        stela.StelaError, match=r"unknown tagger .* known are: ctb, penn, sejong, ud-spacy, ud-stanza"
    ):
        registry.get(stela.Tagger, "zzzzzz")
