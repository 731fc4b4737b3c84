"""The network in whole numbers: its definition, and what training makes of contexts."""

from __future__ import annotations

from math import isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stela_sir.network import LIMIT, OUTPUTS, UNIT, Layer, Network, units

Whole = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


def small(seed: int, dimensions: int = 3, hidden: int = 5, scale: int = 60, largest: int = 127) -> Network:
    random = np.random.default_rng(seed)
    shapes = [(hidden, dimensions), (hidden, hidden), (hidden, hidden), (OUTPUTS, hidden)]
    return Network(
        [
            Layer(
                random.integers(-largest, largest + 1, shape).astype(np.int8),
                random.integers(-(1 << 20), 1 << 20, shape[0]).astype(np.int32),
                scale,
            )
            for shape in shapes
        ]
    )


def slow_layer(layer: Layer, inputs: list[int]) -> list[int]:
    """In plain integers."""
    rows = zip(layer.weights.tolist(), layer.biases.tolist(), strict=True)
    return [
        (sum(w * x for w, x in zip(row, inputs, strict=True)) + bias) // layer.scale for row, bias in rows
    ]


def slow_outputs(network: Network, vector: list[int]) -> list[int]:
    """The definition in plain integers."""
    length = max(1, isqrt(sum(x * x for x in vector)))
    first, *middle, last = network.layers
    hidden = [min(max(h, -LIMIT), LIMIT) for h in slow_layer(first, [x * UNIT // length for x in vector])]
    for layer in middle:
        added = [h + max(0, a) for h, a in zip(hidden, slow_layer(layer, hidden), strict=True)]
        hidden = [min(max(h, -LIMIT), LIMIT) for h in added]
    return slow_layer(last, hidden)


vectors = st.lists(st.lists(st.integers(-8_000, 8_000), min_size=3, max_size=3), min_size=1, max_size=4)


@given(vectors, st.integers(0, 50), st.sampled_from([1, 60, 1 << 30]))
def test_outputs_are_the_definition(rows: list[list[int]], seed: int, scale: int) -> None:
    """With weights of a stranger's file too, whose hidden numbers meet the limit."""
    network = small(seed, scale=scale)
    outputs = network.outputs(np.array(rows, dtype=np.int64))
    assert outputs.tolist() == [slow_outputs(network, row) for row in rows]


@given(st.integers(0, 50), st.integers(1, 255), st.sampled_from([1, 127]))
def test_the_largest_are_high(seed: int, count: int, largest: int) -> None:
    """Of equal ones, as small weights make them, those that stand first."""
    network = small(seed, largest=largest, scale=1 << 22)
    given_vectors = np.random.default_rng(seed).integers(-99, 99, (3, 3))
    words = network.patterns(given_vectors, count)
    for row, outputs in zip(words.tolist(), network.outputs(given_vectors).tolist(), strict=True):
        order = sorted(range(OUTPUTS), key=lambda output: (-outputs[output], output))
        high = [output for output in range(OUTPUTS) if row[output // 64] >> output % 64 & 1]
        assert high == sorted(order[:count])


def test_a_context_of_nothing_has_a_pattern() -> None:
    assert units(np.zeros((2, 3), dtype=np.int64)).tolist() == [[0, 0, 0]] * 2
    words = small(0).patterns(np.zeros((1, 3), dtype=np.int64), 128)
    assert sum(word.bit_count() for word in words[0].tolist()) == 128


@pytest.mark.deep(
    stand_in="plugins/stela-sir/tests/test_network_file.py::test_the_command_makes_a_network_that_works"
)
@pytest.mark.slow
def test_training_tells_contexts_from_each_other() -> None:
    """Walks in space: near steps get like outputs, far ones not, each output is high in about half."""
    from stela_sir.train import trained

    random = np.random.default_rng(0)

    def walks() -> Whole:
        """Text after text, of 100 contexts each; neighbours lie near each other."""
        starts = random.normal(size=(60, 1, 8)) * 60
        steps = starts + random.normal(size=(60, 100, 8)).cumsum(axis=1) * 2
        return np.rint(steps).astype(np.int64).reshape(-1, 8)

    layers = trained([walks(), walks()], hidden=32, steps=600, steepness=3.0)
    same = trained([walks()], hidden=32, steps=1, steepness=3.0)
    assert [layer.weights.shape for layer in same] == [(32, 8), (32, 32), (32, 32), (OUTPUTS, 32)]
    fresh = walks()
    bits = np.unpackbits(Network(layers).patterns(fresh, 128).view(np.uint8), axis=1)
    near = (bits[1:] == bits[:-1]).mean(axis=1).reshape(-1)
    shuffled = bits[random.permutation(len(bits))]
    assert np.median(near) > 0.93
    assert abs((bits == shuffled).mean() - 0.5) < 0.05
    assert bits.mean(axis=0).std() < 0.15
