"""The command line with every command imported."""

from __future__ import annotations

from stela_core.cli.group import Group
from stela_core.cli.main import build_cli
from stela_core.registry.components import Registry


def whole_cli(registry: Registry) -> Group:
    """All that the core and these plugins bring, the groups filled."""
    cli = build_cli(registry)
    cli.late.add_all()
    return cli
