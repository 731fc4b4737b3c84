from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_tables.counts import row_keys
from stela_tables.merge import merge
from stela_tables.table import REMEMBERED, IndeterminacyTable

from stela_core.errors import StelaError
from tests.tiers import examples

from .ngrams import IDENTITY, Documents, count, slow_lambda, table_of

DOCUMENTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=15), max_size=4)
CORPORA = st.dictionaries(st.sampled_from(["x", "y", "z"]), DOCUMENTS, min_size=1)


def has_ngrams(corpora: Mapping[str, Documents], k: int) -> bool:
    return any(len(tags) >= k for documents in corpora.values() for tags in documents)


def test_worked_by_hand() -> None:
    # After a: x saw b 3 times and c once, y saw b once and d once.
    # P = ((3/4 + 1/2) / 2, (1/4 + 0) / 2, (0 + 1/2) / 2) = (5/8, 1/8, 1/4); K = 3.
    table = table_of({"x": [list("ab")] * 3 + [list("ac")], "y": [list("ab"), list("ad")]}, 2)
    entropy = -(5 / 8 * math.log(5 / 8) + 1 / 8 * math.log(1 / 8) + 1 / 4 * math.log(1 / 4))
    assert table.lookup(("a",)) == pytest.approx(entropy / math.log(3), abs=1e-11)
    assert table.contexts == (("a",),)
    assert table.entries[0].seen == 6


def test_only_the_corpora_that_saw_a_context_count() -> None:
    # b is followed by c and d equally in x; y never saw b, so P is x's alone: a fair coin.
    table = table_of({"x": [list("bc"), list("bd")], "y": [list("ac"), list("ac")]}, 2)
    assert table.lookup(("b",)) == 1.0
    assert table.lookup(("a",)) == 0.0  # one tag alone follows


def test_means_over_types_and_tokens() -> None:
    # a: fair coin, seen twice, lambda 1. b: always c, seen six times, lambda 0.
    table = table_of({"x": [list("ac"), list("ad")] + [list("bc")] * 6}, 2)
    assert table.mean_over_types == table.mean("types") == 0.5
    assert table.mean_over_tokens == table.mean("tokens") == 0.25


def test_backs_off_to_the_longest_seen_suffix() -> None:
    corpora = {"x": [list("abc"), list("abd"), list("cbb"), list("bbc")]}
    table = table_of(corpora, 3)
    assert table.lookup(("a", "b")) == 1.0
    assert table.lookup(("unknown", "b")) == pytest.approx(slow_lambda(corpora, 3, ("b",)))
    assert table.lookup(("b",)) == table.lookup(("unknown", "b"))
    assert table.lookup(("b", "unknown")) == table.lookup(()) == pytest.approx(slow_lambda(corpora, 3, ()))
    assert table.lookup(("x", "y", "a", "b")) == table.lookup(("a", "b"))  # longer than k - 1


def test_memory_of_unseen_contexts_is_bounded() -> None:
    table = table_of({"x": [list("abab")]}, 2)
    for number in range(REMEMBERED + 10):
        assert table.lookup((f"t{number}",)) == table.lookup(())
    assert len(table._remembered) <= REMEMBERED


@pytest.mark.slow
@examples(60)
@given(CORPORA, st.integers(1, 4), st.lists(st.sampled_from("abcdZ"), max_size=5))
def test_lookup_is_the_formula(corpora: dict[str, Documents], k: int, context: list[str]) -> None:
    if not has_ngrams(corpora, k):
        return
    table = table_of(corpora, k)
    last = tuple(context[max(0, len(context) - k + 1) :])
    value = table.lookup(tuple(context))
    assert value == pytest.approx(slow_lambda(corpora, k, last), abs=1e-11)
    assert 0.0 <= value <= 1.0
    assert table.lookup(tuple(context)) == value


@examples(40)
@given(CORPORA, CORPORA, st.integers(1, 3))
def test_merging_is_building_on_both(one: dict[str, Documents], other: dict[str, Documents], k: int) -> None:
    if not has_ngrams(one, k) or not has_ngrams(other, k):
        return
    both = {name: [*one.get(name, []), *other.get(name, [])] for name in {*one, *other}}
    merged = merge([table_of(one, k), table_of(other, k)])
    assert merged.sha256 == table_of(both, k).sha256 == merge([table_of(other, k), table_of(one, k)]).sha256


@examples(30)
@given(CORPORA, st.randoms())
def test_order_of_documents_and_corpora_is_irrelevant(corpora: dict[str, Documents], random) -> None:  # type: ignore[no-untyped-def]
    if not has_ngrams(corpora, 2):
        return
    names = list(corpora)
    random.shuffle(names)
    shuffled = {name: random.sample(list(corpora[name]), len(corpora[name])) for name in names}
    assert table_of(shuffled, 2).sha256 == table_of(corpora, 2).sha256


def test_tables_of_different_k_or_tagger_do_not_merge() -> None:
    table = table_of({"x": [list("abab")]}, 2)
    with pytest.raises(StelaError, match="k = 2 and k = 3 cannot merge"):
        merge([table, table_of({"x": [list("abab")]}, 3)])
    other = IndeterminacyTable.from_counts(
        2, IDENTITY._replace(fingerprint="f"), {"x": count([list("ab")], 2)}
    )
    with pytest.raises(StelaError, match="cannot merge"):
        merge([table, other])
    with pytest.raises(StelaError, match="no table"):
        merge([])


def test_row_keys_order_rows_also_where_they_would_overflow() -> None:
    import numpy as np

    rows = np.random.default_rng(0).integers(0, 1000, (500, 8))  # 1000 ** 8 > 2 ** 63
    rows[250:] = rows[:250]
    rows[250:, 7] += np.arange(250) % 2
    keys = row_keys(rows, 1001)
    as_tuples = [tuple(row) for row in rows.tolist()]
    assert [as_tuples[i] for i in np.argsort(keys, kind="stable")] == sorted(as_tuples)
    assert len(set(keys.tolist())) == len(set(as_tuples))
