"""How much each client may ask: a bucket of tokens for each, that fills with time."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

from stela_serve.refused import RefusedError

CLIENTS = 10_000
"""Buckets kept; the longest unused is forgotten first, and is full when it is needed again."""

TINY = 1e-6
"""What sums of floats may be off by: who waits as long as told is let in."""


class Rates:
    """Buckets by client.

    Args:
        rate: a minute, and at most in a bucket; 0 for no limit.
        clock: seconds.
    """

    def __init__(self, rate: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is in each, and when it was."""

    def take(self, client: str, cost: int = 1) -> None:
        """Take from a client's bucket; what costs more than a full bucket has takes all of it.

        Raises:
            RefusedError: there is not enough in it.
        """
        if not self._rate:
            return
        cost = min(cost, self._rate)
        level = self._level(client)
        enough = level >= cost - TINY
        self._keep(client, level - cost if enough else level)
        if not enough:
            seconds = math.ceil((cost - level) * 60 / self._rate)
            raise RefusedError(
                429,
                f"more than {self._rate} texts a minute of one client.",
                "try again after the seconds of Retry-After",
                retry_after=max(1, seconds),
            )

    def charge(self, client: str, cost: float) -> None:
        """Take what was spent already, down to a full bucket's debt."""
        if self._rate:
            self._keep(client, max(self._level(client) - cost, -float(self._rate)))

    def texts_in(self, seconds: float) -> float:
        """Texts whose share of a client's minute is so much work."""
        return seconds * self._rate / 60

    def _level(self, client: str) -> float:
        now = self._clock()
        level, then = self._buckets.pop(client, (float(self._rate), now))
        return min(float(self._rate), level + (now - then) * self._rate / 60)

    def _keep(self, client: str, level: float) -> None:
        self._buckets[client] = level, self._clock()
        if len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)


def client_of(address: str | None) -> str:
    """Who counts as one: an IPv4 address, or the /64 network of an IPv6 one, which one household has."""
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    if parsed.version == 4:
        return str(parsed)
    mapped = parsed.ipv4_mapped
    return str(mapped) if mapped else str(ipaddress.ip_network((int(parsed), 64), strict=False))
