"""The coupling of a fair coin a token and the next token: green as often as can be, the distribution kept.

Each token is green under half of all keys. To keep the model's distribution p, a token may be drawn under any
keys, as long as its share of all draws is p. So the most likely tokens, one after the other, take their share
from the keys under which they are green, as far as it goes; what is left over goes to the keys left over.

Whatever is done, a set of n tokens has a green one under ``1 - 2**-n`` of the keys only. So no coupling draws
green tokens more often than ``1 - max_n max(P_n - 1 + 2**-n, 0)``, with P_n the sum of the n largest
probabilities (:func:`most_green`; Hall's theorem says that some coupling does, and this one is near it).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

HEADS = 64
"""Tokens that are coupled one by one. All others together are one more, of which half is about green."""


class Plan(NamedTuple):
    """What each of the most likely tokens takes; the same under all keys."""

    shares: list[float]
    """The share of the probability still free that each token takes where it is green."""
    taken: list[float]
    """How much of its probability each token takes, over all keys."""
    free: float
    """What they leave, over all keys."""


def plan(heads: Sequence[float]) -> Plan:
    """The plan for these probabilities, in falling order.

    Colours are independent, so a token finds half of what is free under keys where it is green.
    """
    shares, taken, free = [], [], 1.0
    for probability in heads:
        took = min(probability, free / 2)
        shares.append(2 * took / free)
        taken.append(took)
        free -= took  # at least half of it is left: never 0
    return Plan(shares, taken, free)


def lowered(heads: Sequence[float], nats: float) -> list[float]:
    """Probabilities of which what no green draw covers is cut by a factor exp(-nats) at most; not normalised.

    The largest gain of green draws for a given ``KL(lowered || p)`` cuts in this way, with ``1 / nats`` the
    price of a nat.
    """
    cut = 1 - exp(-nats)
    return [p - min(p - took, p * cut) for p, took in zip(heads, plan(heads).taken, strict=True)]


def most_green(heads: Sequence[float]) -> float:
    """The largest probability of a green token while the distribution is kept, from its heads."""
    total, over = 0.0, 0.0
    for number, probability in enumerate(heads, start=1):
        total += probability
        over = max(over, total - 1 + 0.5**number)
    return 1 - over


class Coupled(NamedTuple):
    """The marked distribution under one key."""

    heads: list[float]
    """Probabilities of the most likely tokens."""
    on_green: float
    """What the probability of each other green token is multiplied by."""
    on_red: float
    """What the probability of each other red token is multiplied by."""


def coupled(
    heads: Sequence[float], green: Sequence[bool], others: float, green_others: float, nats: float = 0.0
) -> Coupled:
    """The marked distribution under one key; over all colourings its mean is the model's if ``nats`` is 0.

    The tokens after the heads get ``min(1, 2 g)`` of their sum on the green ones, g their green share: the
    mean of that over a colouring and its opposite is again each token's own probability.

    Args:
        heads: probabilities of the most likely tokens, in falling order.
        green: their colours under the key.
        others: sum of the probabilities of all other tokens.
        green_others: sum of those of them that are green.
        nats: how much heads may be :func:`lowered`.
    """
    scale = 1.0
    if nats > 0:
        heads = lowered(heads, nats)
        scale = 1 / (sum(heads) + others)
        heads = [p * scale for p in heads]
    shares, taken, free = plan(heads)
    left, takes = 1.0, []
    for share, is_green in zip(shares, green, strict=True):
        takes.append(left * share if is_green else 0.0)
        left -= takes[-1]
    rest = left / free
    marked = [own + rest * (p - took) for own, p, took in zip(takes, heads, taken, strict=True)]
    g = green_others / others if others > 0 else 0.5
    on_green, on_red = (2.0, (1 - 2 * g) / (1 - g)) if g < 0.5 else (1 / g, 0.0)
    return Coupled(marked, rest * scale * on_green, rest * scale * on_red)
