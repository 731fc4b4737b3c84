"""The command ``stela``: its groups, options and printed lines, which commands of plugins share.

It reads texts from plain files and JSON lines, and shares work among processes. What reads other files, or
runs work elsewhere, is registered by the hooks of ``stela_cli.hookspecs``.
"""

from __future__ import annotations

import logging
from types import ModuleType
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from stela_cli.documents.reader import Reader
    from stela_cli.jobs.executor import Executor

logging.getLogger(__name__).addHandler(logging.NullHandler())

hookimpl = pluggy.HookimplMarker("stela")
"""As ``stela_core.hookimpl``, whose import takes the interfaces with it: ``stela --help`` needs none."""


@hookimpl
def stela_add_hooks() -> ModuleType:
    """Readers of files, and executors."""
    from stela_cli import hookspecs

    return hookspecs


@hookimpl
def stela_register_readers() -> list[type[Reader]]:
    """Plain text and JSON lines."""
    from stela_cli.documents.json_lines import JsonLines
    from stela_cli.documents.plain_text import PlainText

    return [JsonLines, PlainText]


@hookimpl
def stela_register_executors() -> type[Executor]:
    """Processes of one machine."""
    from stela_cli.jobs.local import Local

    return Local
