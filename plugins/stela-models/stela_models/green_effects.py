"""What a bias on green tokens does to a distribution, expected over random splits of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

Floats = npt.NDArray[np.float64]

TOP = 6
"""The colours of this many of the most likely tokens are taken in all ways."""

ROWS = 32
"""Distributions that are worked out at once."""

BLOCK = 512
FORBIDDEN = -1e4

EFFECTS = ("rise", "surprisal", "divergence")


def effects(
    logits: torch.Tensor, temperature: float, strengths: Sequence[float] | Floats, gamma: float = 0.5
) -> npt.NDArray[np.float64]:
    """Expected rise, surprisal and divergence of a mark of each strength, (n, 3, strengths).

    A bias d on green logits makes of p, drawn at temperature T, ``q = p a / Z`` on green tokens and ``p / Z``
    on red ones, with ``a = exp(d / T)``, ``Z = 1 - G + a G`` and G the green probability. Over random splits,

    - the rise is ``E[G a / Z] - gamma``: the chance of green under the mark, less that of unmarked text;
    - the surprisal is the rise of ``E[-log p]``, in nats: that of log-perplexity;
    - the divergence is ``KL(E[q] || p)``, in nats: what a reader of many texts could notice.

    The colours of the six most likely tokens are taken in all 64 ways. That of the rest is taken as two
    points, so that its green probability has its own mean and variance, and its own covariance with the
    green part of the entropy. What is left out is of third order: with half of the tokens green, biases of up
    to 4 nats and a vocabulary of 400 tokens or more the rise is right to 0.0004.

    Args:
        logits: (n, V).
        temperature: at which tokens are drawn.
        strengths: biases, nats: (strengths,), or (n, strengths) where each distribution has others.
        gamma: share of green tokens.
    """
    biases = np.asarray(strengths, dtype=np.float64)
    factor = np.exp(np.broadcast_to(biases, (len(logits), biases.shape[-1])) / temperature)
    parts = [
        _effects(_moments(logits[at], temperature), factor[at], gamma)
        for at in (slice(start, start + ROWS) for start in range(0, len(logits), ROWS))
    ]
    return np.concatenate(parts) if parts else np.zeros((0, len(EFFECTS), biases.shape[-1]))


class _Moments(NamedTuple):
    """Moments of distributions p, (n,) each; ``top`` and ``logs`` (n, TOP)."""

    top: Floats
    """Probabilities of the most likely tokens."""
    logs: Floats
    """Logarithms of these probabilities."""
    entropy: Floats
    squares: Floats
    """Sums of p^2."""
    mixed: Floats
    """Sums of -p^2 log p."""


def _moments(logits: torch.Tensor, temperature: float) -> _Moments:
    """All that is read of the whole vocabulary, in few passes: a row fits into a processor's cache."""
    import torch

    sums = np.zeros((len(logits), 4))
    best = np.zeros((len(logits), TOP))
    for number, row in enumerate(logits):
        highest = _highest(row.float())
        # What a mask forbids is minus infinity, and 0 times that is not a number.
        below = (row.float() - highest[0]).clamp_(min=FORBIDDEN)
        part = torch.exp(below / temperature)
        square = part * part
        each = part.sum(), torch.dot(part, below), square.sum(), torch.dot(square, below)
        sums[number] = torch.stack(each).double().cpu().numpy()
        best[number] = (highest - highest[0]).clamp_(min=FORBIDDEN).double().cpu().numpy()
    whole, first, squared, second = sums.T
    log_whole = np.log(whole)
    logs = best / temperature - log_whole[:, None]
    return _Moments(
        np.exp(logs),
        logs,
        log_whole - first / whole / temperature,
        squared / whole**2,
        (log_whole * squared - second / temperature) / whole**2,
    )


def _highest(row: torch.Tensor) -> torch.Tensor:
    """The highest values, (TOP,), in order: those of the blocks whose highest values are the highest."""
    import torch

    size = len(row) // BLOCK * BLOCK
    if size < 4 * TOP * BLOCK:
        return row.topk(TOP).values
    blocks = row[:size].view(-1, BLOCK)
    among = blocks[blocks.amax(dim=1).topk(TOP).indices].reshape(-1)
    return torch.cat([among, row[size:]]).topk(TOP).values


def _effects(of: _Moments, factor: Floats, gamma: float) -> Floats:
    top, logs, entropy = of.top, of.logs, of.entropy
    rest = np.maximum(1 - top.sum(-1), 0)
    # None of the rest is likelier than the last of the top: what is more than that is rounding.
    spread = (of.squares - (top**2).sum(-1)).clip(0, rest * top[:, -1])
    entropies = -top * logs
    rest_entropy = np.maximum(entropy - entropies.sum(-1), 0)
    covariance = np.maximum(of.mixed - (top * entropies).sum(-1), 0)
    deviation = np.sqrt(gamma * (1 - gamma) * spread)
    tilt = np.sqrt(gamma * (1 - gamma)) * covariance / np.sqrt(np.maximum(spread, 1e-30))
    ways, sign, chance = _ways(gamma)
    green = (top @ ways.T + gamma * rest[:, None] + deviation[:, None] * sign).clip(0, 1)
    of_green = entropies @ ways.T + gamma * rest_entropy[:, None] + tilt[:, None] * sign
    inverse = 1 / (1 - green[..., None] + green[..., None] * factor[:, None])
    # Everything is linear in 1 / Z: what it is summed with, over the ways of colouring.
    summed = np.stack(
        [green, np.ones_like(green), of_green, *np.broadcast_to(ways.T[:, None], (TOP, *green.shape))]
    )
    sums = (summed * chance).swapaxes(0, 1) @ inverse
    rise = factor * sums[:, 0] - gamma
    surprisal = (factor - 1) * sums[:, 2] + entropy[:, None] * (sums[:, 1] - 1)
    ratios = (factor[:, None] - 1) * sums[:, 3:] + sums[:, 1:2]
    left = np.maximum(1 - (top[..., None] * ratios).sum(1), 1e-300)
    divergence = (top[..., None] * ratios * np.log(ratios)).sum(1)
    divergence += left * np.log(left / np.maximum(rest, 1e-300)[:, None])
    divergence = np.where(rest[:, None] > 1e-9, divergence, 0)
    return np.stack([rise, surprisal, divergence], axis=1)


@cache
def _ways(gamma: float) -> tuple[Floats, Floats, Floats]:
    """Ways of colouring, (128, TOP) with 1 for green; signs of the rest, (128,); their chances, (128,)."""
    colours = np.array(list(product([0.0, 1.0], repeat=TOP)))
    chance = np.where(colours > 0, gamma, 1 - gamma).prod(-1) / 2
    return np.tile(colours, (2, 1)), np.repeat([1.0, -1.0], len(colours)), np.tile(chance, 2)
