"""Profiles that somebody else made, to accuse a text that everybody knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import stela_core as stela
from tests.commands import stela_
from tests.strangers import accusing as accusing_

__all__ = ["stela_"]

Accusing = Callable[..., Path]


@pytest.fixture(scope="session")
def declaration(registry: stela.Registry) -> str:
    """The beginning of the Universal Declaration of Human Rights, which no model wrote."""
    return accusing_.declaration(registry, 1500)


@pytest.fixture
def accusing(registry: stela.Registry, declaration: str, tmp_path: Path) -> Accusing:
    """A profile file whose table weighs the declaration's green tokens."""

    def make(weight: int, public: bool = True) -> Path:
        path = tmp_path / f"accusing-{weight}-{public}.stela"
        accusing_.accusing(registry, declaration, weight, public).write(path)
        return path

    return make
