"""Compiled layers against torch's convolutions, and a place's bits in any surroundings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stela_causal.convolution import affine, earlier, residual
from stela_causal.layers import AT_ONCE, TAPS, layer_of

from tests.tiers import examples

Reals = npt.NDArray[np.float32]


def drawn(seed: int, *shape: int) -> Reals:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@examples(25)
@given(places=st.integers(1, 30), blocks=st.integers(1, 5), width=st.integers(1, 9), seed=st.integers(0, 99))
def test_affine_is_a_product_and_a_bias(places: int, blocks: int, width: int, seed: int) -> None:
    seen, weight = drawn(seed, places, AT_ONCE * blocks), drawn(seed + 1, AT_ONCE * blocks, width)
    bias = drawn(seed + 2, width)
    np.testing.assert_allclose(affine(seen, weight, bias), seen @ weight + bias, rtol=1e-4, atol=1e-4)


def test_bits_of_a_row_do_not_depend_on_the_others() -> None:
    seen, weight, bias = drawn(1, 23, 12), drawn(2, 12, 7), drawn(3, 7)
    whole = affine(seen, weight, bias)
    for first in range(len(seen)):
        for end in range(first + 1, len(seen) + 1):
            np.testing.assert_array_equal(affine(seen[first:end], weight, bias), whole[first:end])


@examples(25)
@given(places=st.integers(0, 20), dilation=st.integers(1, 12))
def test_earlier_places_by_the_definition(places: int, dilation: int) -> None:
    rows = drawn(places, places, 2)
    seen = earlier(rows, dilation).reshape(places, TAPS, 2)
    for place in range(places):
        for tap, there in enumerate((place - 2 * dilation, place - dilation, place)):
            expected = rows[there] if there >= 0 else np.zeros(2)
            np.testing.assert_array_equal(seen[place, tap], expected)


def layers(widths: list[int]) -> list[tuple[Reals, Reals]]:
    """Layers as torch has them: (out, in) and (out,)."""
    return [
        (drawn(number, out, TAPS * into) / 4, drawn(number + 50, out))
        for number, (into, out) in enumerate(pairwise(widths))
    ]


def test_residual_sums_are_those_of_dilated_convolutions_of_torch() -> None:
    dilations = [1, 3, 9]
    places, made = 40, layers([4, 8, 8, 8])
    rows, inside = drawn(7, places, 4), np.ones(places, dtype=np.bool_)
    hidden = torch.zeros(1, 8, places)
    seen = torch.from_numpy(rows.T)[None]
    for (weight, bias), dilation in zip(made, dilations, strict=True):
        # (out, taps * in) to (out, in, taps), and nothing but zeros before the text.
        kernel = torch.from_numpy(weight).reshape(len(weight), TAPS, -1).transpose(1, 2)
        padded = torch.nn.functional.pad(seen, ((TAPS - 1) * dilation, 0))
        more = torch.nn.functional.conv1d(padded, kernel, torch.from_numpy(bias), dilation=dilation)
        hidden = hidden + torch.relu(more)
        seen = hidden
    ours = residual(rows, inside, [layer_of(*one) for one in made], dilations)
    np.testing.assert_allclose(ours, hidden[0].T.numpy(), rtol=1e-4, atol=1e-4)


def test_a_place_far_enough_from_the_start_has_the_same_bits_in_a_window() -> None:
    dilations = [1, 3]
    rows, inside = drawn(8, 60, 4), np.ones(60, dtype=np.bool_)
    made = [layer_of(*one) for one in layers([4, 8, 8])]
    whole = residual(rows, inside, made, dilations)
    reach = (TAPS - 1) * sum(dilations)
    for start in range(0, 40, 7):
        part = residual(rows[start:], inside[start:], made, dilations)
        np.testing.assert_array_equal(part[reach:], whole[start + reach :])


def test_nothing_comes_out_of_a_gap() -> None:
    inside = np.array([True] * 6 + [False] * 4 + [True] * 6)
    rows = drawn(9, 16, 4)
    rows[~inside] = 0
    out = residual(rows, inside, [layer_of(*one) for one in layers([4, 8, 8])], [1, 1])
    assert not out[~inside].any()
    assert out[inside].any()


def test_width_must_be_a_multiple() -> None:
    with pytest.raises(ValueError, match="a width of 6 is not a multiple of 4"):
        layer_of(drawn(1, 5, 6), drawn(2, 5))
