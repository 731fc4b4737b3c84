"""Lets the tests import their texts, their oracle and the scripts of this plugin."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts")]
