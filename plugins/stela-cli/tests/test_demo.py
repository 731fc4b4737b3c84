"""``stela demo``: everything installed, and a light install."""

from __future__ import annotations

import re
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner
from stela_cli.main import build_cli
from stela_models.cli.demo import texts
from stela_models.cli.demo_languages import LANGUAGES, human_text, not_written

import stela_core as stela
from stela_core.api import LanguageModel
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from tests.commands import Stela

PLUGINS = Path(__file__).parents[3] / "plugins"


def light(*names: str) -> Registry:
    """As after ``pip install "stela-core[generate]"`` and these plugins."""
    return Registry(create_plugins(installed=[e for e in entry_points(group="stela") if e.name in names]))


def demo(registry: Registry, *arguments: str) -> str:
    found: str = (
        CliRunner()
        .invoke(build_cli(registry), ["demo", *arguments], catch_exceptions=False, standalone_mode=False)
        .output
    )
    return found


@pytest.mark.deep(stand_in="plugins/stela-cli/tests/test_roundtrip.py::test_generate_then_detect")
@pytest.mark.slow
def test_all_installed(stela_: Stela) -> None:
    done = stela_("demo", "--language", "ko")
    assert done.status == 0, done.err
    rows = [line.split() for line in done.out.splitlines()]
    for scheme in ("stela", "kgw"):
        assert [scheme, "ko", "generated"] in [row[:3] for row in rows if row[-1:] == ["watermarked"]]
        assert [scheme, "ko", "human"] in [row[:3] for row in rows if row[-1:] == ["found"]]
    assert "not shown" not in done.out


@pytest.mark.deep(stand_in="tests/test_light.py::test_commands_are_known_without_what_they_need")
@pytest.mark.slow
def test_what_a_light_install_lacks_is_named(registry: stela.Registry) -> None:
    out = demo(light("models", "tiny", "kgw"), "--language", "en")
    [row] = [line.split() for line in out.splitlines() if "generated" in line]
    assert row[:3] == ["kgw", "en", "generated"]
    assert "not shown: scheme stela" in out
    assert "pip install stela-stela" in out
    out = demo(light("models", "tiny", "kgw", "stela", "synthid"), "--language", "zh", "--language", "ko")
    assert "not shown: Chinese with STELA; Korean with STELA" in out
    assert "pip install stela-ctb stela-sejong" in out


@pytest.mark.slow
def test_a_language_that_the_embedded_model_does_not_write(monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[str, list[tuple[str, str]]] = {}

    def once(watermark: stela.Watermark, model: LanguageModel, language: str) -> list[tuple[str, str]]:
        """Both demos write the same text."""
        if language not in written:
            written[language] = texts(watermark, model, language)
        return written[language]

    monkeypatch.setattr("stela_models.cli.demo.texts", once)
    out = demo(light("models", "tiny", "kgw", "stela"), "--language", "tr")
    [row] = [line.split() for line in out.splitlines() if "generated" in line]
    assert row[:3] == ["kgw", "tr", "generated"]
    assert "what it wrote as Turkish makes no sense. --model M takes a model that knows" in out
    assert "Turkish with STELA" in out.split("not shown: ")[1]
    assert "stela-tr" in out.split("to see all: pip install ")[1]
    named = demo(light("models", "tiny", "kgw"), "--language", "tr", "--model", "tiny")
    assert 'Generating with "tiny"' in named
    assert "makes no sense" not in named, "whoever names a model knows what it writes"


def test_each_shipped_language_is_shown() -> None:
    shipped = {
        path.parent.name.removeprefix("stela_") for path in PLUGINS.glob("stela-[a-z][a-z]/stela_*/model")
    }
    assert set(LANGUAGES) == shipped | {"en", "zh", "ko"}
    for code, (_, _, prompt, _) in LANGUAGES.items():
        text = human_text(code)
        assert "\n" not in text
        assert len(text) > 80
        assert prompt == prompt.strip()
    assert not_written(["en", "zh", "ko"]) == ""
    assert "Turkish and Hindi" in not_written(["tr", "hi"])


def test_where_nothing_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(stela.StelaError, match=r"no scheme.*pip install stela-stela stela-kgw"):
        build_cli(light("models", "tiny")).main(["demo"], standalone_mode=False)
    with pytest.raises(stela.StelaError, match=r"embedded model.*pip install stela-tiny stela-stela"):
        build_cli(light("models", "kgw")).main(["demo"], standalone_mode=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        stela.StelaError, match=r'needs torch.*pip install "stela-core\[generate\]" stela-tiny stela-stela'
    ):
        build_cli(light("models", "kgw")).main(["demo"], standalone_mode=False)


def test_an_unknown_model_is_refused_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, registry: stela.Registry
) -> None:
    def load(*_: object) -> None:
        raise AssertionError

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("stela_models.cli.demo.what_runs", load)
    result = CliRunner().invoke(build_cli(registry), ["demo", "--model", "tinny"])
    assert isinstance(result.exception, stela.StelaError)
    assert 'model "tinny"' in result.exception.message
    assert 'did you mean "tiny"?' in str(result.exception)


def test_make_demo_is_the_command() -> None:
    makefile = (Path(__file__).parents[3] / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^demo: .*\n\t\$\(BIN\)/stela demo$", makefile, re.MULTILINE)
