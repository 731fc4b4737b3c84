"""What could not be read or tested, on stderr, while the rest is tested."""

from __future__ import annotations

import click

from stela_cli.printing import fail
from stela_core import StelaError
from stela_core.api import printable

SHOWN = 20
"""Problems that are shown; the others are counted."""


class Problems:
    """Lines for stderr, and the exit status they lead to.

    Args:
        quiet: print errors, and no notes.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self.count = 0
        """Texts and files so far that are not tested."""
        self._elsewhere = 0

    def note(self, message: str) -> None:
        """Something that the user may want to know."""
        if not self._quiet:
            click.echo(f"note: {printable(' '.join(message.split()))}", err=True)

    def count_one(self) -> None:
        """Something else that is not tested, and was reported already."""
        self._elsewhere += 1

    def report(self, error: StelaError) -> None:
        """One text or file that is not tested."""
        self.count += 1
        if self.count <= SHOWN:
            fail(error.message, error.hint)

    def end(self) -> int:
        """The exit status: 2 where there was a problem, else 0."""
        if self.count > SHOWN:
            click.echo(f"error: {self.count - SHOWN:,} more texts could not be tested", err=True)
        return 2 if self.count + self._elsewhere else 0
