"""Lets the tests import their texts and the scripts of this plugin."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts")]


@pytest.fixture(scope="session")
def shipped() -> Path:
    """The folder of the models that come along."""
    import stela_ctb

    return Path(stela_ctb.__file__).parent / "model"
