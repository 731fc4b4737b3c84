"""Inverse transform sampling: the token whose piece of the cumulative distribution a uniform number hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from stela_kernels.philox.draws import nearness_draws

from stela_core.api import mix, seed_of
from stela_exp.key_sequence import KeySequenceHasher
from stela_exp.one_token import RANGE, only

if TYPE_CHECKING:
    import torch

ORDER = (0xFFFFFFFF,)
"""The hash context of the vocabulary's order: no place of a sequence."""


class ItsHasher(KeySequenceHasher):
    """Place i of the key sequence holds one uniform number u: the upper half of the place's seed.

    The vocabulary has one order, that of its mixed numbers under a separate seed, and a token's place in
    it, from 0 to 1, is ``x / 2**32``: in a vocabulary of V tokens at most some 1 / sqrt(V) from its rank's.
    Drawn is the token at which the cumulative probability in that order passes u (Kuditipudi et al. 2024);
    the signal is the nearness of u to the token's place, Exp(1) on unmarked text.
    """

    name = "exp-its"
    edit_cost = 0.4

    def __init__(self, parameters: Any, key: int) -> None:
        super().__init__(parameters, key)
        self._order_seed = seed_of(key, ORDER)
        self._orders: dict[tuple[int, str], torch.Tensor] = {}

    def draws(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Nearness of the place's number to each token's, (n, 1)."""
        return nearness_draws(uniforms(seeds), self._numbers(tokens))[:, None]

    def mark(self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int) -> torch.Tensor:
        """All probability on the token that is drawn."""
        import torch

        order = self._order(vocab_size, scores.device)
        probabilities = scores[:, :vocab_size].double().softmax(dim=1)
        cumulative = probabilities[:, order].cumsum_(dim=1)
        u = torch.from_numpy((uniforms(seeds) + 0.5) / RANGE).to(scores.device)[:, None]
        # The first that passes u has a probability above 0. The last sum is 1 but for rounding.
        places = torch.searchsorted(cumulative, u * cumulative[:, -1:], right=True)[:, 0]
        return only(scores, order[places.clamp_(max=vocab_size - 1)])

    def costs(self, seeds: npt.NDArray[np.uint64], tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """``|u - place|``: 0 to 1."""
        u, places = uniforms(seeds) / RANGE, self._numbers(tokens) / RANGE
        return np.abs(places[:, None] - u).astype(np.float32)

    def _numbers(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
        return mix(np.uint64(self._order_seed), tokens)

    def _order(self, vocab_size: int, device: torch.device) -> torch.Tensor:
        """Token ids in the order of their numbers: sorted once for each key, vocabulary and device."""
        from stela_kernels.torch_bias import mixed

        place = (vocab_size, str(device))
        if place not in self._orders:
            numbers = mixed(np.array([self._order_seed], dtype=np.uint64), vocab_size, device)
            self._orders[place] = numbers[0].argsort()
        return self._orders[place]


def uniforms(seeds: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint32]:
    """The number of each place, from its seed: the upper 32 bits."""
    return (seeds >> np.uint64(32)).astype(np.uint32)
