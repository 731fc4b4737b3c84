"""Commands that plugins bring: there with the plugin, and without it a line on what to install."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import click
import pytest
from stela_testing import assert_refused

from stela_core.catalogue import published
from stela_core.registry.components import Registry
from stela_core.registry.manager import create_plugins
from tests.commands import Stela, whole_cli

COMMANDS = published().commands


def registry_without(name: str, *others: EntryPoint) -> Registry:
    """The installed plugins but for those of one's distribution, and others."""
    homes = published().distributions
    kept = [e for e in entry_points(group="stela") if homes[e.name] != homes[name]]
    return Registry(create_plugins(installed=[*kept, *others]))


def commands_of(group: click.Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        yield before + name
        if isinstance(command, click.Group):
            yield from commands_of(command, f"{before}{name} ")


def test_commands_of_this_projects_plugins_are_listed() -> None:
    core = set(commands_of(whole_cli(Registry(create_plugins(installed=[])))))
    everything = set(commands_of(whole_cli(Registry(create_plugins(installed=entry_points(group="stela"))))))
    brought = everything - core
    within = {name for name in brought if any(name.startswith(f"{group} ") for group in COMMANDS)}
    assert brought - within == set(COMMANDS)
    assert set(COMMANDS.values()) <= set(published().components)


@pytest.mark.parametrize(("command", "short"), COMMANDS.items())
def test_without_its_plugin_a_command_says_what_to_install(
    stela_: Stela, monkeypatch: pytest.MonkeyPatch, command: str, short: str
) -> None:
    monkeypatch.setattr("stela_cli.main.create_registry", lambda files: registry_without(short))
    distribution = published().distributions[short]
    for arguments in (command.split(), [*command.split(), "--model", "tiny", "-o", "p.stela"]):
        outcome = stela_(*arguments)
        assert_refused(outcome, f'command "{command}" is not installed. hint: pip install {distribution}')
    *group, name = command.split()
    # A slip in a command that is not here leads to it, too.
    assert_refused(stela_(*group, f"{name}x"), f'unknown command "{name}x"', f'did you mean "{name}"?')
    assert_refused(stela_("profile", "imprt"), 'unknown command "imprt"', 'did you mean "import"?')


def test_a_plugin_that_fails_is_named_with_the_reason(
    stela_: Stela, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_interop.py").write_text("import no_such_library")
    monkeypatch.syspath_prepend(str(tmp_path))
    broken = EntryPoint("interop", "broken_interop", "stela")
    monkeypatch.setattr("stela_cli.main.create_registry", lambda files: registry_without("interop", broken))
    assert_refused(
        stela_("profile", "import"), 'plugin "interop" failed to load', "No module named 'no_such_library'"
    )
