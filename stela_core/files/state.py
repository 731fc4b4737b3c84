"""The user's folder of state: which profiles are one's own, and what plugins keep for this user."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_state_path

VARIABLE = "STELA_STATE"
"""Names another folder."""


def state_folder() -> Path:
    """Where the program remembers things for this user."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else user_state_path("stela", appauthor=False)
