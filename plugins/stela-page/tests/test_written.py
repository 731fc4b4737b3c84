"""The files that scripts write are what they write, where Python and the libraries are the pinned ones."""

from __future__ import annotations

import importlib.util
import sys
import unicodedata
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"
pinned = pytest.mark.skipif(
    unicodedata.unidata_version != "14.0.0" or version("tokenizers") != "0.23.3",
    reason="the files are of Python 3.11 and tokenizers 0.23.3",
)


def script(name: str) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pinned
@pytest.mark.slow
def test_tables_are_what_the_script_writes() -> None:
    tables = script("write_tables")
    assert {
        name: (tables.HERE / name).read_text(encoding="utf-8") for name in tables.files()
    } == tables.files()
