"""What holds for every installed mark that chooses tokens, whatever plugin brings it."""

from __future__ import annotations

import numpy as np
import pytest

import stela_core as stela

torch = pytest.importorskip("torch")

UNKEYED = {"gumbel-vllm-dual", "gumbel-textseal-dual"}
"""Hashers that draw without a key which of two keys marks a token: no two calls are alike."""

ROWS = [[3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6], [3], [3, 4, 5, 6, 7, 8, 9]]
KEYS = [5, 6, 5, 7]


def schemes() -> dict[str, str]:
    """A scheme for each hasher that chooses tokens."""
    registered = [entry.component for entry in stela.create_registry()]
    sampling = [one for one in registered if issubclass(one, stela.SamplingScheme)]
    return {one.hasher: one.name for one in sorted(sampling, key=lambda one: one.name, reverse=True)}


def key_of(registry: stela.Registry, scheme: str, number: int) -> int:
    """A key of as many words as the scheme's hasher takes, each of them this number."""
    hasher = registry.get(stela.Hasher, registry.get(stela.Scheme, scheme).hasher)
    words = hasher.key_words(hasher.Parameters())
    return sum(number << 64 * word for word in range(words))


def test_they_are_found() -> None:
    assert {"gumbel", "synthid", "exp", "unbiased-delta"} <= set(schemes())


@pytest.mark.slow
@pytest.mark.parametrize(
    "scheme", sorted(name for hasher, name in schemes().items() if hasher not in UNKEYED)
)
def test_rows_under_keys_of_their_own_and_numpy_logits_are_marked_alike(
    scheme: str, registry: stela.Registry
) -> None:
    logits = np.random.default_rng(0).normal(0, 3, (4, 8200)).astype(np.float32)
    keys = [key_of(registry, scheme, number) for number in KEYS]
    marks = [stela.create(scheme, model="tiny", key=key, registry=registry) for key in keys]
    together = marks[0].marker(keys=keys)(ROWS, logits)
    for row, mark in enumerate(marks):
        alone = mark.marker()([ROWS[row]], torch.from_numpy(logits[row : row + 1]))
        assert np.array_equal(together[row], alone[0].numpy())
    assert not np.array_equal(together[0], together[3])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", sorted(schemes().values()))
def test_logits_are_left_as_they_were_and_padding_is_not_chosen(
    scheme: str, registry: stela.Registry
) -> None:
    mark = stela.create(scheme, model="tiny", key=key_of(registry, scheme, 5), registry=registry)
    logits = torch.from_numpy(np.random.default_rng(1).normal(0, 3, (4, 8200)).astype(np.float32))
    before = logits.clone()
    marked = mark.marker()(ROWS, logits)
    assert torch.equal(logits, before)
    own = mark.marker().step(ROWS, logits).weights
    for row, weight in enumerate(own):
        size = mark.profile.vocab_size
        expected = before[row, size:] if weight is None else torch.full_like(before[row, size:], -torch.inf)
        assert torch.equal(marked[row, size:], expected)
