"""What the command registers: readers of plain files, processes of one machine, and the hooks of both."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    from stela_cli.documents.reader import Reader
    from stela_cli.jobs.executor import Executor


@stela.hookimpl
def stela_add_hooks() -> ModuleType:
    """Readers of files, and executors."""
    from stela_cli import hookspecs

    return hookspecs


@stela.hookimpl
def stela_register_readers() -> list[type[Reader]]:
    """Plain text and JSON lines."""
    from stela_cli.documents.json_lines import JsonLines
    from stela_cli.documents.plain_text import PlainText

    return [JsonLines, PlainText]


@stela.hookimpl
def stela_register_executors() -> type[Executor]:
    """Processes of one machine."""
    from stela_cli.jobs.local import Local

    return Local
