"""Whoever names no scheme gets the recommended one, and is told why."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from click.testing import CliRunner
from stela_cli.main import build_cli
from tokenizers import Tokenizer

import stela_core as stela
from stela_core.catalogue import published
from stela_core.composition import recommended_scheme
from stela_core.registry.components import Registry
from stela_core.registry.manager import Origin, create_plugins

RECOMMENDED = published().recommended["scheme"]


def installed(*names: str) -> Registry:
    """As where only these plugins are installed."""
    return Registry(create_plugins(installed=[e for e in entry_points(group="stela") if e.name in names]))


def another(name: str) -> object:
    """A plugin of somebody else, whose scheme recommends itself."""

    class Other(stela.Scheme):
        recommended = "is mine"

    Other.name = name

    class Plugin:
        @stela.hookimpl
        def stela_register_schemes(self) -> type[stela.Scheme]:
            return Other

    return Plugin()


def with_others(ours: str, *names: str) -> Registry:
    """One of the project's plugins, and plugins of others."""
    plugins = installed(ours).plugins
    for name in names:
        plugins.add(name, another(name), Origin(name, "1.0"))
    return Registry(plugins)


def test_one_of_the_project_s_schemes_is_recommended(registry: stela.Registry) -> None:
    schemes = [registry.get(stela.Scheme, name) for name in registry.names(stela.Scheme)]
    assert [scheme.name for scheme in schemes if scheme.recommended] == [RECOMMENDED]
    assert recommended_scheme(registry).name == RECOMMENDED


def test_created_without_a_scheme(registry: stela.Registry, tokenizer: Tokenizer) -> None:
    mark = stela.create(tokenizer=tokenizer, key=7, registry=registry)
    named = stela.create(RECOMMENDED, tokenizer=tokenizer, key=7, registry=registry)
    assert mark.profile.scheme == named.profile.scheme
    assert mark.profile.hasher.name == named.profile.hasher.name
    [why] = mark.remarks
    assert why.startswith(f'scheme "{RECOMMENDED}": it ')
    assert recommended_scheme(registry).recommended in why
    assert "kgw" in why
    assert "\n" not in why
    assert named.remarks == []


@pytest.mark.parametrize(("language", "weighed"), [("en", "+learned-likelihood"), ("de", ""), (None, "")])
def test_evidence_is_weighed_where_there_is_a_table_of_the_language(
    language: str | None, weighed: str, registry: stela.Registry, tokenizer: Tokenizer
) -> None:
    mark = stela.create(tokenizer=tokenizer, key=7, language=language, registry=registry)
    assert mark.profile.scheme.name == RECOMMENDED + weighed
    assert mark.remarks[0].startswith(f'scheme "{RECOMMENDED}{weighed}": it ')


def test_evidence_is_not_weighed_by_what_is_not_installed(tokenizer: Tokenizer) -> None:
    mark = stela.create(tokenizer=tokenizer, key=7, language="en", registry=installed(RECOMMENDED))
    assert mark.profile.scheme.name == RECOMMENDED


def test_the_command_says_why(registry: stela.Registry, tmp_path: Path) -> None:
    command = ["profile", "new", "--model", "tiny", "--public-key", "-o", str(tmp_path / "p.stela")]
    done = CliRunner().invoke(build_cli(registry), command, catch_exceptions=False, standalone_mode=False)
    assert f'note: scheme "{RECOMMENDED}": it ' in done.output
    assert stela.load(tmp_path / "p.stela", registry=registry).profile.scheme.name == RECOMMENDED


def test_where_it_is_not_installed() -> None:
    with pytest.raises(stela.StelaError) as told:
        recommended_scheme(installed("kgw"))
    assert f'"{RECOMMENDED}", is not installed' in told.value.message
    assert f"pip install stela-{RECOMMENDED}; or add --scheme NAME; installed are: kgw" in str(
        told.value.hint
    )


def test_the_project_s_own_comes_before_others() -> None:
    assert recommended_scheme(with_others(RECOMMENDED, "mine")).name == RECOMMENDED
    assert recommended_scheme(with_others("kgw", "mine")).name == "mine"
    with pytest.raises(stela.StelaError, match="several are recommended: mine, yours"):
        recommended_scheme(with_others("kgw", "mine", "yours"))
