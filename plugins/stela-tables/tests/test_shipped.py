"""The shipped tables: lambda of every context worked out again from the file's counts, by SciPy."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import entropy
from stela_tables.file import read_table

import stela_core as stela
from stela_core.registry.tagger_spec import make_tagger

pytestmark = pytest.mark.slow

SPECS = ("penn", "penn:causal", "ctb", "sejong", "ud-spacy:en", "ud-spacy:zh", "ud-spacy:ko")
SHIPPED = [(spec, k) for spec in SPECS for k in (2, 3, 4)]


@pytest.mark.deep(keep=["penn-2"])
@pytest.mark.parametrize(("name", "k"), SHIPPED)
def test_lambda_and_means_of_the_counts(registry: stela.Registry, name: str, k: int) -> None:
    path = make_tagger(registry, name).tables()[k]
    content = json.loads(path.read_text(encoding="utf-8"))
    tags = content["tags"]
    seen: dict[tuple[str, ...], list[dict[int, int]]] = defaultdict(list)
    for corpus in content["corpora"]:
        for codes, row in corpus["counts"].items():
            context = tuple(tags[int(code)] for code in codes.split())
            seen[context].append(dict(zip(row[::2], row[1::2], strict=True)))
    expected: dict[tuple[str, ...], tuple[float, int]] = {}
    for context, corpora in seen.items():
        following = sorted(set().union(*corpora))
        counts = np.array([[corpus.get(tag, 0) for tag in following] for corpus in corpora], dtype=float)
        mean = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
        value = entropy(mean) / np.log(len(following)) if len(following) > 1 else 0.0
        expected[context] = (float(value), int(counts.sum()))
    table = read_table(path)
    assert set(table.contexts) == set(expected)
    assert [table.lookup(c) for c in expected] == pytest.approx([v for v, _ in expected.values()], abs=1e-9)
    values, weights = np.array(list(expected.values())).T
    assert table.mean_over_types == pytest.approx(values.mean(), abs=1e-9)
    assert table.mean_over_tokens == pytest.approx(np.average(values, weights=weights), abs=1e-9)


@pytest.mark.deep(keep=["penn-2"])
@pytest.mark.parametrize(("name", "k"), SHIPPED)
def test_tables_belong_to_the_shipped_tagger(registry: stela.Registry, name: str, k: int) -> None:
    tagger = make_tagger(registry, name)
    table = read_table(tagger.tables()[k])
    assert (table.k, table.tagger.name, table.tagger.tagset) == (k, tagger.name, tagger.tagset)
    assert len(table.corpora) == 2
