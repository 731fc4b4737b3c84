"""Days on the command line."""

from __future__ import annotations

from datetime import date

import click

from stela_core.profile.epochs import day_of


def day_option(context: click.Context, parameter: click.Parameter, value: str | None) -> date | None:
    """A day of an option."""
    if value is None:
        return None
    try:
        return day_of(value)
    except ValueError as error:
        raise click.BadParameter(f'"{value}" is no day: {error}') from None
