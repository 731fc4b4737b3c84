"""Marks of the core with these kernels and without them, and the one line where it needs them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from stela_kernels import lent

import stela_core as stela
from stela_core import catalogue
from stela_core.builtin.hashers import KeyedHasher
from stela_core.statistics import convolution
from tests.helpers import uninstall

SEEDS = np.array([3, 2**64 - 1, 77], np.uint64)
BIASES = [2.0, 0.0, 0.37]


def hasher() -> KeyedHasher:
    return KeyedHasher(stela.HasherParameters(gamma=0.3), 5)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where stela-kernels is not installed."""
    uninstall(monkeypatch, "stela_kernels")
    for kept in (catalogue.mark_kernels, convolution._adding):
        kept.cache_clear()
    yield
    for kept in (catalogue.mark_kernels, convolution._adding):
        kept.cache_clear()


def logits(dtype: torch.dtype) -> torch.Tensor:
    return (torch.randn(3, 500, generator=torch.Generator().manual_seed(3)) * 5).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_torch_logits_are_marked_alike(without: None, dtype: torch.dtype) -> None:
    scores = logits(dtype)
    marked = hasher().add_bias(scores, SEEDS, BIASES, 480)
    assert torch.equal(marked, lent.add_bias(scores, SEEDS, BIASES, 480, 0.3))
    assert torch.equal(scores, logits(dtype))


def test_arrays_are_marked_alike(without: None) -> None:
    scores = logits(torch.float32).numpy()
    marked = hasher().add_bias_to_array(scores, SEEDS, BIASES, 480)
    assert np.array_equal(marked, lent.add_bias_to_array(scores, SEEDS, BIASES, 480, 0.3))


def test_what_reads_green_tokens_needs_them(without: None) -> None:
    with pytest.raises(stela.StelaError) as said:
        hasher().split(logits(torch.float32), SEEDS, 480)
    assert str(said.value) == (
        "the probability of green tokens needs stela-kernels. hint: pip install stela-kernels"
    )


def test_keys_are_tried_alike(without: None) -> None:
    keys, contexts, tokens = [1, 2, 3], np.arange(40)[:, None], np.arange(40) % 7
    weights = np.ones((40, 1))
    alone = hasher().sums_under(keys, contexts, tokens, weights)
    assert np.array_equal(alone, lent.keyed_sums(hasher().draws, keys, contexts, tokens, weights))


def test_p_values_are_alike(without: None) -> None:
    given = np.array([3, 5, 8]), np.array([40, 30, 20]), 260, 259, 0.4
    alone = convolution.convolution(*given)
    assert convolution._adding() is convolution.add_coins
    convolution._adding.cache_clear()
    catalogue.mark_kernels.cache_clear()
    assert alone == convolution.convolution(*given)


def test_they_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert catalogue.mark_kernels() is lent
    monkeypatch.setattr(catalogue, "lent_entry", None)
    hasher().add_bias_to_array(logits(torch.float32).numpy(), SEEDS, BIASES, 480)
    convolution.convolution(np.array([3, 5]), np.array([4, 3]), 10, 9, 0.4)
