"""Attacks that need no model: words deleted, inserted, swapped; text truncated or pasted into human text."""

import stela_run

import stela_core as stela
from stela_edits.delete import Delete
from stela_edits.insert import Insert
from stela_edits.paste import Paste
from stela_edits.swap import Swap
from stela_edits.truncate import Truncate

__all__ = ["Delete", "Insert", "Paste", "Swap", "Truncate"]


@stela.hookimpl
def stela_register_attacks() -> list[type[stela_run.Attack]]:
    """Register the attacks."""
    return [Delete, Insert, Swap, Truncate, Paste]
