"""The files that scripts write are what they write, where Python and the libraries are the pinned ones."""

from __future__ import annotations

import importlib.util
import json
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


@pytest.mark.deep(stand_in="plugins/stela-page/tests/test_parity.py::test_no_tag_of_a_shipped_tagger_differs")
@pinned
@pytest.mark.slow
def test_tags_are_what_the_script_writes() -> None:
    tags = script("write_tag_vectors")
    assert json.loads(tags.OUT.read_text(encoding="utf-8")) == json.loads(json.dumps(tags.content()))


@pytest.mark.deep(stand_in="plugins/stela-page/tests/test_parity.py::test_pieces_give_what_python_gives")
@pinned
@pytest.mark.slow
def test_tables_are_what_the_script_writes() -> None:
    tables = script("write_tables")
    assert {
        name: (tables.HERE / name).read_text(encoding="utf-8") for name in tables.files()
    } == tables.files()


def test_signatures_are_what_the_script_writes() -> None:
    signatures = script("write_signatures")
    assert signatures.OUT.read_text(encoding="utf-8") == signatures.content()


def test_schemas_are_what_the_script_writes() -> None:
    schemas = script("write_schemas")
    assert schemas.OUT.read_text(encoding="utf-8") == schemas.content()


def test_a_rule_that_the_page_does_not_know_ends_the_script() -> None:
    rules = script("write_schemas").rules
    assert rules({"type": "integer", "title": "N", "minimum": 1}) == {"type": "integer", "minimum": 1}
    for unknown in ({"multipleOf": 2}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}):
        with pytest.raises(ValueError, match=r"schema\.ts"):
            rules({"properties": {"n": unknown}})
