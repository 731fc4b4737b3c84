"""The command line, for tests: in this process, and with every command imported."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stela_cli.group import Group
from stela_cli.main import build_cli
from stela_testing import Finished, run_cli

from stela_core import Registry

Stela = Callable[..., Finished]


@pytest.fixture
def stela_() -> Stela:
    """Run the command line in this process."""
    return run_cli


def whole_cli(registry: Registry) -> Group:
    """All that stela-cli and these plugins bring, the groups filled."""
    cli = build_cli(registry)
    cli.late.add_all()
    return cli
