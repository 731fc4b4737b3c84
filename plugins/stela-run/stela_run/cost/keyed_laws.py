"""One position: the model's distribution p, and those that a mark makes of it under many keys, q_k.

The mean over keys, q, is estimated by that of K keys drawn, and KL(q || p) is convex in it: the divergence of
the estimate is too large, by half the sum over tokens of Var(estimate) / q to first order. That is taken off.
Of one token drawn a key it is (tokens - 1) / 2K: Miller, "Note on the bias of information estimates", 1955.

The first order is enough where many keys have a part in each token's mean. With a green list all have, for it
changes probabilities by a bounded factor. A mark that chooses tokens gives all of a key's probability to one,
or nearly: its tokens are then pooled, as for a chi-squared test (Cochran 1954), so that each pool expects
:data:`EXPECTED` draws. The divergence of pools is at most that of tokens, and 0 where that is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import torch

EXPECTED = 8
"""Draws that a pool of tokens expects. What is left of the bias is then some 0.01 / K a pool."""


class Cost(NamedTuple):
    """What the mark costs at a position, in nats; 0 throughout where it marks nothing."""

    divergence: float = 0.0
    """KL(q || p), q the mean over keys: what a reader of texts under many keys could notice. Without the bias
    of a finite number of keys, so it may come out a little below 0."""
    surprisal: float = 0.0
    """Rise of E[-log p] from p to q: that of log-perplexity by the writing model."""
    per_key: float = 0.0
    """Mean over keys of KL(q_k || p): what a reader of many texts under one key could notice."""


class KeyedLaws:
    """Sums over keys, so that any number of them takes the memory of one batch.

    Args:
        scores: final logits of p, (width,): temperature is in them.
        pools: number of each token's pool, (width,); ``None`` where each is one by itself.
    """

    def __init__(self, scores: torch.Tensor, pools: torch.Tensor | None = None) -> None:
        # Apple's GPUs have no float64.
        self._wide = torch.float32 if scores.device.type == "mps" else torch.float64
        log_p = scores.to(self._wide).log_softmax(dim=-1)
        p = log_p.exp()
        # A token that cannot come does not come under a mark either.
        self._log_p = log_p.masked_fill(p == 0, 0.0)
        self._entropy = float(torch.special.entr(p).sum())
        self._pools = pools
        self._p = self._pooled(p[None])[0]
        self._keys = 0
        self._surprisal = self._entropies = 0.0
        self._sum, self._squares = torch.zeros_like(self._p), torch.zeros_like(self._p)

    def add(self, scores: torch.Tensor) -> None:
        """Take the final logits (keys, width) of the marked distributions under more keys."""
        q = scores.float().softmax(dim=-1)
        self._keys += len(q)
        self._surprisal -= float((q @ self._log_p.float()).to(self._wide).sum())
        self._entropies += float(torch.special.entr(q).sum(dtype=self._wide))
        pooled = self._pooled(q)
        self._sum += pooled.sum(dim=0, dtype=self._wide)
        self._squares += pooled.square_().sum(dim=0, dtype=self._wide)

    def cost(self) -> Cost:
        """Of the keys so far, at least 2."""
        q = self._sum / self._keys
        # What no key made possible, and p hardly does, has no part in the sum.
        divergence = torch.special.xlogy(q, q / self._p.clamp_min(torch.finfo(self._wide).tiny)).sum()
        spread = (self._squares / self._keys - q.square()).clamp_min(0) / (self._keys - 1)
        bias = torch.where(q > 0, spread / q, 0.0).sum() / 2
        surprisal = self._surprisal / self._keys
        return Cost(
            divergence=float(divergence - bias),
            surprisal=surprisal - self._entropy,
            per_key=surprisal - self._entropies / self._keys,
        )

    def _pooled(self, laws: torch.Tensor) -> torch.Tensor:
        """Probabilities (rows, width) by pool, (rows, pools)."""
        if self._pools is None:
            return laws
        pools = laws.new_zeros(len(laws), int(self._pools.max()) + 1)
        return pools.index_add_(1, self._pools, laws)


def pools_of(scores: torch.Tensor, keys: int) -> torch.Tensor:
    """Pools of tokens, (width,) int64, that expect :data:`EXPECTED` of one draw a key, half of it at least.

    A token that does so by itself has a pool to itself; the others follow in the order of probability. What
    is left over at the end goes to the last pool. No draw has a say in it.

    Args:
        scores: final logits, (width,).
        keys: how many draws there are.
    """
    wide = torch.float32 if scores.device.type == "mps" else torch.float64
    ranked, order = scores.to(wide).softmax(dim=-1).sort(descending=True, stable=True)
    least = EXPECTED / keys
    own = int((ranked >= least).sum())
    rare = ranked[own:]
    last = max(0, own + int(float(rare.sum()) / least) - 1)
    before = rare.cumsum(dim=0) - rare
    numbers = torch.arange(len(scores), device=scores.device)
    numbers[own:] = own + (before / least).long()
    pools = torch.empty_like(numbers)
    pools[order] = numbers.clamp_max(last)
    return pools
