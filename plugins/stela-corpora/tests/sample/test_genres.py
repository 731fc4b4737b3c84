"""The samples that keys are checked on."""

from __future__ import annotations

import ast
import csv
import lzma
from collections.abc import Sequence
from pathlib import Path

import pytest
from stela_corpora import TextSource
from stela_corpora.corpus import Corpus
from stela_corpora.sample import GENRES, Code, Lists, Prose, Tables
from stela_models.tokenizer import load_tokenizer
from stela_run.null.shift import FEWEST

import stela_core as stela

FILES = sorted(GENRES.iterdir())


@pytest.mark.deep(keep=["code.jsonl.xz", "tables.jsonl.xz"])
@pytest.mark.parametrize(
    "file",
    [FILES[0], *(pytest.param(file, marks=pytest.mark.slow) for file in FILES[1:])],
    ids=lambda file: file.name,
)
def test_documents_are_many_and_long(registry: stela.Registry, file: Path) -> None:
    texts = list(Corpus(file))
    assert len(texts) > 1.4 * FEWEST
    assert len(set(texts)) == len(texts)
    tokens = [
        len(each.ids)
        for each in load_tokenizer(registry, "tiny").encode_batch(texts, add_special_tokens=False)
    ]
    assert min(tokens) > 500
    assert not any("\r" in text for text in texts)


def test_names_lead_to_every_file(registry: stela.Registry) -> None:
    reached = {
        registry.get(TextSource, name).location(language)
        for name in ("sample-prose", "sample-code", "sample-tables", "sample-lists")
        for language in ("en", "zh", "ko")
    }
    assert reached == set(FILES)
    with pytest.raises(stela.StelaError, match='the shipped prose has no texts in "de"'):
        Prose.location("de")


def test_tables_are_tables() -> None:
    for text in Corpus(Tables.location("en")):
        header, *rows = csv.reader(text.splitlines())
        assert len(rows) >= 15
        assert {len(row) for row in rows} == {len(header)}


def test_tables_tell_the_truth() -> None:
    """Facts that anyone can look up."""
    rows = {line for text in Corpus(Tables.location("en")) for line in text.splitlines()}
    assert "AL,Albania" in rows
    assert any(row.startswith("2024,31 March,14 February,19 May") for row in _part("Year,Easter"))
    assert any(row.startswith("100,0,") or row == "45,0.70711,0.70711,1.00000" for row in _part("degrees,"))


def _part(header: str) -> Sequence[str]:
    texts = [text for text in Corpus(Tables.location("en")) if text.startswith(header)]
    assert texts
    return [row for text in texts for row in text.splitlines()]


def test_code_is_code() -> None:
    texts = list(Corpus(Code.location("en")))
    starts = sum(text.lstrip().startswith(("def ", "class ", "async def ", "@")) for text in texts)
    assert starts > 0.9 * len(texts)
    # They are cut where they are long enough; what comes before the last definition is whole.
    whole = 0
    for text in texts:
        lines = text.splitlines()
        last = max(n for n, line in enumerate(lines) if line.startswith(("def ", "class ", "async def ")))
        if last:
            ast.parse("\n".join(lines[:last]).rpartition("\n@")[0] or "\n".join(lines[:last]))
            whole += 1
    assert whole > 100


def test_lists_are_lists() -> None:
    for text in Corpus(Lists.location("en")):
        assert len(text.splitlines()) >= 10


def test_they_are_small_and_unpack_within_bounds() -> None:
    assert sum(file.stat().st_size for file in FILES) < 1_000_000
    assert sum(len(lzma.decompress(file.read_bytes())) for file in FILES) < 8_000_000
