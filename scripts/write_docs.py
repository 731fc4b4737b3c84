"""Write the parts of docs/ that are made from the code."""

from __future__ import annotations

import json
from pathlib import Path

from stela_core.profile.schema import Profile

DOCS = Path(__file__).parents[1] / "docs"


def profile_schema() -> str:
    """The JSON schema of profile.json."""
    return json.dumps(Profile.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    (DOCS / "profile.schema.json").write_text(profile_schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
