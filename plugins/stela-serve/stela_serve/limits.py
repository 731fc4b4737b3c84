"""What one client may ask of the service, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 1 << 20

HEADER_BYTES = 16_384
"""Bytes of a request's line and headers."""

IDLE_SECONDS = 10.0
"""A connection that has sent no whole request head for so long is closed."""

HEAVY = 0.5
"""CPU seconds that a request is expected to take, from which it is heavy."""

LONG = 40_000
"""Characters, times the marks they are tested for, from which it is heavy whatever is expected."""

WINDOWS_COST = 8
"""How many times heavier a request is that asks for passages."""

REST_SECONDS = 2.0
"""A body that still comes when its request is answered is taken in for so long: its sender hears then."""

SEND_SECONDS = 30.0
"""A client that does not take its answer for so long is dropped."""

ANSWER_SECONDS = 120.0
"""The same for an answer that is sent in pieces, such as the page."""

ANSWER_BYTES = 64 * MEBIBYTE
"""Bytes of what a worker answers."""


@dataclass(frozen=True)
class Limits:
    """All of them can be set on the command line."""

    body: int = 2 * MEBIBYTE
    """Bytes of a request's body."""
    characters: int = 50_000
    """Characters of one text; and of all texts of a request that asks for tokens."""
    texts: int = 64
    """Texts of one request."""
    seconds: float = 20.0
    """Seconds that a worker may spend on one request."""
    wait: float = 10.0
    """Seconds that a request may wait for a worker, and that its body may take to come."""
    queue: int = 64
    """Requests that wait, besides those that are worked on."""
    rate: int = 120
    """Texts a minute of one client, each of a minute's share of work; 0 for no limit."""
    connections: int = 512
    """Connections that are open at once."""
    held: int = 64 * MEBIBYTE
    """Bytes of all bodies at hand."""
