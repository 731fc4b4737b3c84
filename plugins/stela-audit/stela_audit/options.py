"""Options that the commands of ``stela audit`` share: whose detector is asked, and what a query costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def detector_options(command: F) -> F:
    """Options ``--profile`` and ``--key-file``."""
    key_file = click.option(
        "--key-file", metavar="FILE", help="Key file of a secret-key profile.  [variable: STELA_KEY]"
    )
    profile = click.option(
        "--profile", required=True, type=click.Path(), metavar="P.stela", help="Profile of the detector."
    )
    return profile(key_file(command))


def record_options(command: F) -> F:
    """Options ``--seed``, ``--rate``, ``--price`` and ``--json``."""
    as_json = click.option("--json", "as_json", is_flag=True, help="Print one record a line.")
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
    seed = click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws."
    )
    return seed(rate(price(as_json(command))))


def cost_of(queries: float, rate: float, price: float | None) -> str:
    """Such as ``0.6 minutes, a price of 0.72``.

    Args:
        queries: number of them.
        rate: queries a minute, above 0.
        price: of one; ``None`` where it is not known.
    """
    spent = queries / rate
    minutes = f"{spent:.2g} minutes" if spent < 100 else f"{spent:.0f} minutes"
    return minutes if price is None else f"{minutes}, a price of {queries * price:.2f}"
