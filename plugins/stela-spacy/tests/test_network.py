"""The layers of the fast path beside thinc's own, to the last bit."""

from typing import Any

import numpy as np
import pytest
from stela_spacy.kernels import HashedEmbedding, MaxoutNorm
from stela_spacy.network import OUTSIDE, TailNetwork

pytest.importorskip("spacy")
WIDTH = 16
TABLES = 3


def layers(seed: int) -> tuple[Any, Any, Any, Any]:
    """Tables, mixing layer, encoder, output layer, with random weights."""
    from spacy.ml.models import MaxoutWindowEncoder
    from spacy.util import fix_random_seed
    from thinc.api import HashEmbed, Linear, Maxout, concatenate

    fix_random_seed(seed)
    tables = concatenate(*(HashEmbed(WIDTH, 20 + i, column=i, seed=i) for i in range(TABLES)))
    mixed = Maxout(WIDTH, WIDTH * TABLES, nP=3, dropout=0.0, normalize=True)
    encoder = MaxoutWindowEncoder(width=WIDTH, window_size=1, maxout_pieces=3, depth=2)
    output = Linear(5, WIDTH)
    ids = np.arange(2 * TABLES, dtype=np.uint64).reshape(2, TABLES)
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


@pytest.mark.parametrize("length", [1, 2, 3, 7, 30])
def test_scores_are_those_of_the_whole_text(length: int) -> None:
    tables, mixed, encoder, output = layers(3)
    ids = ids_of(length, length)
    expected = output.predict(encoder.predict([mixed.predict(tables.predict(ids))])[0])
    network = TailNetwork(tables, mixed, encoder, output, "abcde")
    keys = [OUTSIDE] * 2 + [row.tobytes() for row in ids] + [OUTSIDE] * 2
    assert network.scores_of_all(keys).tobytes() == expected.tobytes()
    for at in ([length + 1], list(range(2, length + 2)), [length + 1, 2]):
        found = network.scores(keys, at)
        assert found.tobytes() == expected[[place - 2 for place in at]].tobytes()


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
    """With the adder, where this machine's gemm adds in the plain order, and without it."""
    monkeypatch.setattr("stela_spacy.network.WORTH", 0)
    random = np.random.default_rng(seed)
    keys = [OUTSIDE, *(row.tobytes() for row in ids_of(30, 8))]
    around = random.integers(0, len(keys), size=(200, 5))
    around[:60, 3:] = 0
    around[60:80, :2] = 0
    with_adder, without = (TailNetwork(*layers(seed), "abcde") for _ in range(2))
    without._looked_for_adder = True
    scores = with_adder.scores_around(keys, around)
    assert scores.tobytes() == without.scores_around(keys, around).tobytes()
    runs = [[keys[i] for i in five] for five in around.tolist()]
    places = [5 * n + 2 for n in range(len(runs))]
    assert scores.tobytes() == without.scores([key for run in runs for key in run], places).tobytes()


def test_another_order_of_adding_is_found_out() -> None:
    pytest.importorskip("numba")
    from stela_spacy import sums

    from stela_core.api import compile_kept

    layer = MaxoutNorm(layers(1)[2].layers[0].layers[0])
    plain = compile_kept(sums._add_products)

    def backwards(totals: Any, vectors: Any, weights: Any) -> None:
        plain(totals, np.ascontiguousarray(vectors[:, ::-1]), np.ascontiguousarray(weights[::-1]))

    assert not sums._same_bits(backwards, layer)


def test_without_numba_the_gemm_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from stela_spacy import sums

    def missing(function: Any) -> Any:
        raise ImportError("numba")

    monkeypatch.setattr(sums, "compile_kept", missing)
    assert sums.adder([MaxoutNorm(layers(1)[2].layers[0].layers[0])]) is None
