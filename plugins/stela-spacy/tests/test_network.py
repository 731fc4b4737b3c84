"""The layers of the fast path beside thinc's own, to the last bit."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_spacy.fused import fused
from stela_spacy.kernels import HashedEmbedding, MaxoutNorm
from stela_spacy.network import OUTSIDE, TailNetwork

from tests.tiers import examples

pytest.importorskip("spacy")
WIDTH = 16
TABLES = 3
OUT = [OUTSIDE] * 2


def layers(seed: int, count: int = TABLES) -> tuple[Any, Any, Any, Any]:
    """Tables, mixing layer, encoder, output layer, with random weights."""
    from spacy.ml.models import MaxoutWindowEncoder
    from spacy.util import fix_random_seed
    from thinc.api import HashEmbed, Linear, Maxout, concatenate

    fix_random_seed(seed)
    tables = concatenate(*(HashEmbed(WIDTH, 20 + i, column=i, seed=i) for i in range(count)))
    mixed = Maxout(WIDTH, WIDTH * count, nP=3, dropout=0.0, normalize=True)
    encoder = MaxoutWindowEncoder(width=WIDTH, window_size=1, maxout_pieces=3, depth=2)
    output = Linear(5, WIDTH)
    ids = np.arange(2 * count, dtype=np.uint64).reshape(2, count)
    tables.initialize(X=ids)
    mixed.initialize(X=tables.predict(ids))
    encoder.initialize(X=[mixed.predict(tables.predict(ids))])
    output.initialize(X=np.zeros((1, WIDTH), dtype=np.float32), Y=np.zeros((1, 5), dtype=np.float32))
    random = np.random.default_rng(seed)
    for layer in (mixed, encoder, output):
        for node in layer.walk():
            for name in node.param_names:
                shape = node.get_param(name).shape
                node.set_param(name, random.normal(size=shape).astype(np.float32))
    return tables, mixed, encoder, output


def ids_of(count: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2**63, size=(count, TABLES), dtype=np.uint64)


def test_embedding_and_maxout() -> None:
    tables, mixed, _, _ = layers(1)
    ids = ids_of(40, 2)
    vectors = tables.predict(ids)
    assert MaxoutNorm(mixed)(vectors).tobytes() == mixed.predict(vectors).tobytes()
    assert HashedEmbedding(tables, mixed)(ids).tobytes() == mixed.predict(vectors).tobytes()


@pytest.fixture(params=[False, True], ids=["gemm", "compiled"])
def compiled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        pytest.importorskip("numba")
    monkeypatch.setattr("stela_spacy.network.worth", lambda scored: request.param)
    return bool(request.param)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 30])
def test_scores_are_those_of_the_whole_text(length: int, compiled: bool) -> None:
    tables, mixed, encoder, output = layers(3)
    ids = ids_of(length, length)
    expected = output.predict(encoder.predict([mixed.predict(tables.predict(ids))])[0])
    network = TailNetwork(tables, mixed, encoder, output, "abcde")
    keys = [OUTSIDE] * 2 + [row.tobytes() for row in ids] + [OUTSIDE] * 2
    assert network.scores_of_all(keys).tobytes() == expected.tobytes()
    for at in ([length + 1], list(range(2, length + 2)), [length + 1, 2]):
        found = network.scores(keys, at)
        assert found.tobytes() == expected[[place - 2 for place in at]].tobytes()
    # Where thinc's gemm adds in another order, the passes are not taken.
    assert compiled or network._fused is None


@examples(30)
@given(
    seed=st.integers(0, 99),
    runs=st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=8), min_size=1, max_size=5),
    chance=st.randoms(use_true_random=False),
)
def test_compiled_passes_give_the_bits_of_the_layers(seed: int, runs: list[list[int]], chance: Any) -> None:
    """Any runs of tokens, few of them, so that the same stand beside each other; any places of them."""
    pytest.importorskip("numba")
    network = TailNetwork(*layers(seed % 3), "abcde")
    network._looked_for_fused = True
    made = fused(
        network._embedding, network._first, network._second, network._output, network._scores_of_rows
    )
    if made is None:
        pytest.skip("thinc's gemm adds in another order here")
    ids = ids_of(6, seed) if seed % 2 else ids_of(6, seed) | np.uint64(1 << 63)
    vectors = np.zeros((9, WIDTH), dtype=np.float32)
    made.embed(ids, vectors, 2)
    assert vectors[2:8].tobytes() == network._embedding(ids).tobytes()
    assert not vectors[[0, 1, 8]].any()
    keys = [b for run in runs for b in (*OUT, *([OUTSIDE, *map(bytes, ids)][token] for token in run), *OUT)]
    ends = np.cumsum([len(run) + 4 for run in runs]).tolist()
    places = [end - 2 - len(run) + i for end, run in zip(ends, runs, strict=True) for i in range(len(run))]
    at = chance.choices(places, k=chance.randint(1, 60))
    expected = network.scores(keys, at)
    tags = network.tags(keys, at, [len(at) - 1, 1])
    network._fused = made
    assert network.scores(keys, at).tobytes() == expected.tobytes()
    assert network.tags(keys, at, [len(at) - 1, 1]) == tags


def test_other_shapes_and_other_orders_are_left_to_the_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    network = TailNetwork(*layers(2), "abcde")
    parts = network._embedding, network._first, network._second, network._output

    def other(*arguments: Any) -> Any:
        return network._scores_of_rows(*arguments) + np.float32(1e-6)

    assert fused(*parts, other) is None
    monkeypatch.setattr("stela_spacy.fused.WIDEST", 8)
    assert fused(*parts, network._scores_of_rows) is None
    monkeypatch.undo()
    monkeypatch.delattr("stela_spacy.compiled")
    monkeypatch.setitem(sys.modules, "stela_spacy.compiled", None)
    assert fused(*parts, network._scores_of_rows) is None


def test_many_products_are_added_in_blocks_as_the_gemm_adds_them() -> None:
    pytest.importorskip("numba")
    small, large = (TailNetwork(*layers(5, count), "abcde") for count in (TABLES, 40))
    made = [
        fused(one._embedding, one._first, one._second, one._output, one._scores_of_rows)
        for one in (small, large)
    ]
    if made[0] is None:
        pytest.skip("thinc's gemm adds in another order here")
    ids = np.random.default_rng(1).integers(0, 2**63, size=(21, 40), dtype=np.uint64)
    vectors = np.zeros((21, WIDTH), dtype=np.float32)
    assert made[1] is not None
    made[1].embed(ids, vectors, 0)
    assert vectors.tobytes() == large._embedding(ids).tobytes()


def test_runs_beside_each_other_do_not_mix() -> None:
    network = TailNetwork(*layers(4), "abcde")
    one, two = ([OUTSIDE] * 2 + [row.tobytes() for row in ids_of(4, seed)] + [OUTSIDE] * 2 for seed in (5, 6))
    alone = [network.scores(one, [4, 5]), network.scores(two, [5])]
    together = network.scores(one + two, [4, 5, len(one) + 5])
    assert together.tobytes() == np.concatenate(alone).tobytes()
    assert network.scores([], []).shape == (0, 5)


def test_labels_of_the_best_scores() -> None:
    network = TailNetwork(*layers(7), "abcde")
    scores = np.eye(5, dtype=np.float32)[[1, 4, 0]]
    assert network.best(scores, [2, 0, 1]) == [("b", "e"), (), ("a",)]


@pytest.mark.parametrize("seed", [1, 2])
def test_shared_sums_have_the_bits_of_the_gemm(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In compiled passes, where this machine's gemm adds in the plain order, and without them."""
    pytest.importorskip("numba")
    monkeypatch.setattr("stela_spacy.network.worth", lambda scored: True)
    random = np.random.default_rng(seed)
    keys = [OUTSIDE, *(row.tobytes() for row in ids_of(30, 8))]
    around = random.integers(0, len(keys), size=(200, 5))
    around[:60, 3:] = 0
    around[60:80, :2] = 0
    together, without = (TailNetwork(*layers(seed), "abcde") for _ in range(2))
    without._looked_for_fused = True
    scores = together.scores_around(keys, around)
    assert scores.tobytes() == without.scores_around(keys, around).tobytes()
    runs = [[keys[i] for i in five] for five in around.tolist()]
    places = [5 * n + 2 for n in range(len(runs))]
    assert scores.tobytes() == without.scores([key for run in runs for key in run], places).tobytes()


def test_another_order_of_adding_is_found_out() -> None:
    pytest.importorskip("numba")
    network = TailNetwork(*layers(1), "abcde")
    parts = network._embedding, network._first, network._second, network._output
    gemm = network._second._gemm

    def backwards(vectors: Any, weights: Any, trans2: bool) -> Any:
        turned = np.ascontiguousarray(vectors[:, ::-1]), np.ascontiguousarray(weights[:, ::-1])
        return gemm(*turned, trans2=trans2)

    network._second._gemm = backwards
    assert fused(*parts, network._scores_of_rows) is None


def test_threads_take_turns(compiled: bool) -> None:
    """What is kept between calls is one thread's at a time: each gets what it would get alone."""
    keys = [[*OUT, *(row.tobytes() for row in ids_of(40, seed)), *OUT] for seed in range(24)]
    at = list(range(2, 42))
    alone = [TailNetwork(*layers(5), "abcde").scores(of, at).tobytes() for of in keys]
    shared = TailNetwork(*layers(5), "abcde")
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert [one.tobytes() for one in pool.map(shared.scores, keys, [at] * len(keys))] == alone
