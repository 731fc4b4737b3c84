"""One position: the model's distribution p, and those that a mark makes of it under many keys, q_k.

The mean over keys, q, is estimated from K keys drawn, and KL(q || p) is convex in it: the divergence of the
estimate is too large, by half the sum over tokens of Var(estimate) / q to first order. That is taken off. Of
one token drawn a key it is (tokens - 1) / 2K: Miller, "Note on the bias of information estimates", 1955.

The first order is enough where many keys have a part in each token's mean. With a green list all have, for it
changes probabilities by a bounded factor. What most of the variance is of, how often each token was green, is
known: gamma of all keys. So keys are post-stratified by it (Holt and Smith 1979), token by token.

A mark that chooses tokens gives all of a key's probability to one, or nearly: its tokens are then pooled, as
for a chi-squared test (Cochran 1954), so that each pool expects :data:`EXPECTED` draws. The divergence of
pools is at most that of tokens, and 0 where that is 0.
"""

from __future__ import annotations

import torch

from stela_run.cost.value import Cost

EXPECTED = 32
"""Draws that a pool of tokens expects: of K keys there are K / 32 pools, and a bias of some 1e-4 is left."""


class KeyedLaws:
    """Sums over keys, so that any number of them takes the memory of one batch.

    Args:
        scores: final logits of p, (width,): temperature is in them.
        pools: number of each token's pool, (width,); ``None`` where each is one by itself.
        gamma: of a green list, the probability that a token is green; ``None`` for other marks.
    """

    def __init__(
        self, scores: torch.Tensor, pools: torch.Tensor | None = None, gamma: float | None = None
    ) -> None:
        # Apple's GPUs have no float64.
        self._wide = torch.float32 if scores.device.type == "mps" else torch.float64
        log_p = scores.to(self._wide).log_softmax(dim=-1)
        p = log_p.exp()
        # A token that cannot come does not come under a mark either.
        self._log_p = log_p.masked_fill(p == 0, 0.0)
        self._entropy = float(torch.special.entr(p).sum())
        self._pools = pools
        self._p = self._pooled(p[None])[0]
        self._gamma = gamma
        self._all, self._green = _Sums(self._p), _Sums(self._p)
        self._crossed = self._entropies = 0.0

    def add(self, scores: torch.Tensor, green: torch.Tensor | None = None) -> None:
        """Take the marked distributions under more keys.

        Args:
            scores: final logits, (keys, width).
            green: which tokens are green, (keys, width), where there is a gamma.
        """
        q = scores.float().softmax(dim=-1)
        self._crossed -= float((q @ self._log_p.float()).to(self._wide).sum())
        self._entropies += float(torch.special.entr(q).sum(dtype=self._wide))
        q = self._pooled(q)
        self._all.add(q, None)
        if green is not None:
            self._green.add(q, green)

    @property
    def keys(self) -> int:
        """Keys so far."""
        return int(self._all.count[0])

    def cost(self) -> Cost:
        """The cost over the keys so far, at least 2."""
        keys = float(self._all.count[0])
        q, variance = self._all.mean()
        surprisal = self._crossed / keys - self._entropy
        if self._gamma is not None:
            q, variance = self._stratified(self._gamma)
            # The sum of such a mean is 1 on average alone.
            surprisal = float(((self._p - q) * (self._log_p + self._entropy)).sum())
        terms = torch.special.xlogy(q, q / self._p.clamp_min(torch.finfo(self._wide).tiny)) - q + self._p
        bias = torch.where(q > 0, variance / q, 0.0) / 2
        return Cost(
            divergence=float((terms - bias).sum()),
            surprisal=surprisal,
            per_key=(self._crossed - self._entropies) / keys,
        )

    def _stratified(self, gamma: float) -> tuple[torch.Tensor, torch.Tensor]:
        """Each token's mean probability and its variance, by keys that make it green and by others."""
        red = self._all.without(self._green)
        (in_green, of_green), (in_red, of_red) = self._green.mean(), red.mean()
        q = gamma * in_green + (1 - gamma) * in_red
        variance = gamma**2 * of_green + (1 - gamma) ** 2 * of_red
        plain, of_plain = self._all.mean()
        both = (self._green.count > 1) & (red.count > 1)
        return torch.where(both, q, plain), torch.where(both, variance, of_plain)

    def _pooled(self, laws: torch.Tensor) -> torch.Tensor:
        """Probabilities (rows, width) by pool, (rows, pools)."""
        if self._pools is None:
            return laws
        pools = laws.new_zeros(len(laws), int(self._pools.max()) + 1)
        return pools.index_add_(1, self._pools, laws)


class _Sums:
    """Number, sum and sum of squares of the probabilities of each token or pool under some keys."""

    def __init__(self, like: torch.Tensor) -> None:
        self.count, self.total, self.squares = (torch.zeros_like(like) for _ in range(3))

    def add(self, q: torch.Tensor, inside: torch.Tensor | None) -> None:
        """Take q, (keys, width), of all keys or of those ``inside``, (keys, width)."""
        if inside is not None:
            q = q * inside
        self.count += len(q) if inside is None else inside.sum(dim=0)
        self.total += q.sum(dim=0, dtype=self.total.dtype)
        self.squares += q.square().sum(dim=0, dtype=self.total.dtype)

    def without(self, some: _Sums) -> _Sums:
        """Sums over the other keys."""
        rest = _Sums(self.total)
        rest.count, rest.total = self.count - some.count, self.total - some.total
        rest.squares = self.squares - some.squares
        return rest

    def mean(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean, and its variance; where there is one key or none, of no meaning."""
        mean = self.total / self.count.clamp_min(1)
        spread = (self.squares / self.count.clamp_min(1) - mean.square()).clamp_min(0)
        return mean, spread / (self.count - 1).clamp_min(1)


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
