from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from stela_testing import Finished, run_cli

import stela_core as stela

PLUGIN = Path(__file__).parents[3] / "tests" / "plain_tagger.py"

WriteCorpus = Callable[[str, Sequence[str]], Path]


def build_letters(corpus: Path, table: Path, k: int = 2) -> Finished:
    """``stela lambda build`` with a tagger whose tags are letters."""
    given = ("--plugin", PLUGIN, "--tagger", "letters", "--corpus", corpus, "--k", k, "-o", table)
    return run_cli("lambda", "build", *given)


@pytest.fixture(scope="session")
def letters() -> stela.Registry:
    """A registry with the tagger of plain_tagger.py as a local plugin file."""
    return stela.create_registry([PLUGIN])


@pytest.fixture
def write_corpus(tmp_path: Path) -> WriteCorpus:
    """Write texts as JSON lines under a file name."""

    def write(name: str, texts: Sequence[str]) -> Path:
        file = tmp_path / name
        file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
        return file

    return write
