"""Write the parts of docs/ that are made from the code: ``python -m scripts.write_docs [FOLDER]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import stela_core as stela
from scripts.engine_versions import serving_page
from scripts.language_table import languages_page
from scripts.plugin_directory import directory
from stela_core.composition import resolve_scheme
from stela_core.profile.schema import Profile

DOCS = Path(__file__).parents[1] / "docs"


def profile_schema() -> str:
    """The JSON schema of profile.json."""
    return json.dumps(Profile.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


COLUMNS = (
    "scheme",
    "paper",
    "hasher",
    "strength at insertion",
    "weight at detection",
    "scorer",
    "detects without a model",
)
USUAL = ("uniform", "grouped")
"""Parts of most schemes: their cells are empty."""

BEGIN, END = "<!-- table -->\n", "<!-- end of table -->\n"


def table_of_schemes(registry: stela.Registry) -> str:
    """The paper's taxonomy, from the schemes that are installed: those of local files left out."""
    rows = [COLUMNS, ("---",) * len(COLUMNS)]
    for name in registry.names(stela.Scheme):
        parts = resolve_scheme(registry, name)
        scheme = parts.scheme
        detects = "no" if parts.needs_model_to_detect else "yes"
        chosen = (scheme.strength, scheme.evidence, scheme.scorer)
        rows.append(
            (
                f"`{name}`",
                scheme.paper,
                scheme.hasher,
                *(part if part not in USUAL else "" for part in chosen),
                detects,
            )
        )
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def schemes_page(registry: stela.Registry) -> str:
    """docs/schemes.md with its table made anew."""
    page = (DOCS / "schemes.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{table_of_schemes(registry)}{END}{rest.split(END)[1]}"


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    registry = stela.create_registry()
    (out / "schemes.md").write_text(schemes_page(registry), encoding="utf-8")
    (out / "serving.md").write_text(serving_page(), encoding="utf-8")
    (out / "languages.md").write_text(languages_page(), encoding="utf-8")
    (out / "plugins.md").write_text(directory(registry), encoding="utf-8")
    (out / "profile.schema.json").write_text(profile_schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
