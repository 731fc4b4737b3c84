from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def golden() -> dict[str, Any]:
    """What the package synthid-text 0.2.1 says itself."""
    content: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
    return content
