"""Ties of a discrete statistic, split by the order of the coins: what no key chose, and exact."""

from __future__ import annotations

from collections.abc import Sequence

_NEGLIGIBLE = 1e-12
"""Arrangements that are told apart no further when all that are left are together as rare as this."""


def share_at_least(colours: Sequence[bool]) -> float:
    """Share of the arrangements of so many green coins that come no later than this one, in (0, 1].

    Given how many of m exchangeable coins are green, each of their arrangements is as likely. They are
    ordered like words: where two differ first, the one that is green there comes first. The share of those
    at or before the observed one is a valid p-value given the count: ``P(share <= a | count) <= a``, with
    equality at every step.

    Args:
        colours: of m coins, in an order that does not depend on colours.
    """
    left, green = len(colours), sum(colours)
    # Of all arrangements: those that agree so far, and those that came before.
    same, before = 1.0, 0.0
    for colour in colours:
        if green in (0, left) or same < _NEGLIGIBLE:
            break
        chance = green / left
        if colour:
            same *= chance
            green -= 1
        else:
            before += same * chance
            same *= 1 - chance
        left -= 1
    return min(1.0, before + same)
