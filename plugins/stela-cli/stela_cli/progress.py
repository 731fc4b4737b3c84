"""Progress on stderr, and only where stderr is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def progress(what: str, total: int | None, of_bytes: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar while the body runs; the yielded function advances it by that many steps, or bytes.

    ``total`` is ``None`` where it is not known before the end.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        # A bar that is only disabled still ends with an empty line in releases of rich before 14.
        yield lambda steps: None
        return
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    done: ProgressColumn = DownloadColumn() if of_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps: bar.advance(task, steps)
