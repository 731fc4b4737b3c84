"""What queries cost an attacker: time at the deployment's rate, and money at its price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def cost_options(command: F) -> F:
    """Options ``--rate`` and ``--price``."""
    price = click.option(
        "--price", type=click.FloatRange(0), metavar="AMOUNT", help="Price of a query, in any currency."
    )
    rate = click.option(
        "--rate",
        type=click.FloatRange(0, min_open=True),
        default=120.0,
        show_default=True,
        help="Queries that the deployment answers a minute; that of stela serve by default.",
    )
    return rate(price(command))


def cost_of(queries: float, rate: float, price: float | None) -> str:
    """Such as ``0.6 minutes, 0.72 in all``.

    Args:
        queries: number of them.
        rate: queries a minute, above 0.
        price: of one; ``None`` where it is not known.
    """
    minutes = f"{queries / rate:.2g} minutes" if queries < 1_000 * rate else f"{queries / rate:.0f} minutes"
    return minutes if price is None else f"{minutes}, a price of {queries * price:.2f}"
