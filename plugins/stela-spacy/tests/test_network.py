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
