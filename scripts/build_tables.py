"""Build the indeterminacy tables that the tagger plugins ship, k = 2, 3 and 4.

``python scripts/build_tables.py --data DIR [--only sejong]``: DIR has ``corpora/{en,zh,ko}/NAME.jsonl.gz`` of
the names below. Each corpus is tagged once and counted for all k, so a table is byte for byte what
``stela lambda build --tagger NAME --corpus ... --k K`` writes.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from stela_tables.build import build_tables
from stela_tables.file import write_table

from stela_core.registry.components import create_registry

ROOT = Path(__file__).resolve().parents[1]
CORPORA = {
    "en": ("en/wikipedia", "en/openstax"),
    "zh": ("zh/wikipedia", "zh/docs"),
    "ko": ("ko/wikipedia", "ko/petitions"),
}
SHIPPED = {
    "penn": ("en", "stela-penn/stela_penn/tables"),
    "penn:causal": ("en", "stela-penn/stela_penn/causal/tables"),
    "ctb": ("zh", "stela-ctb/stela_ctb/tables"),
    "sejong": ("ko", "stela-sejong/stela_sejong/tables"),
    "sejong:causal": ("ko", "stela-sejong/stela_sejong/causal/tables"),
    "ud-spacy:en": ("en", "stela-ud/stela_ud/tables/en"),
    "ud-spacy:zh": ("zh", "stela-ud/stela_ud/tables/zh"),
    "ud-spacy:ko": ("ko", "stela-ud/stela_ud/tables/ko"),
}
"""Tagger to the language of its corpora, and the folder of its tables."""
KS = (2, 3, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds corpora/")
    parser.add_argument("--only", choices=sorted(SHIPPED), help="build the tables of one tagger")
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    registry = create_registry()
    for tagger in [arguments.only] if arguments.only else SHIPPED:
        language, place = SHIPPED[tagger]
        corpora = [arguments.data / "corpora" / f"{name}.jsonl.gz" for name in CORPORA[language]]
        folder = ROOT / "plugins" / place
        console = Console(stderr=True)
        with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
            task = bar.add_task(tagger, total=sum(path.stat().st_size for path in corpora))
            built = build_tables(
                registry,
                tagger,
                corpora,
                KS,
                arguments.workers,
                advance=partial(bar.advance, task),
            )
        folder.mkdir(parents=True, exist_ok=True)
        for k, table in built.tables.items():
            file = folder / f"k{k}.json"
            write_table(file, table)
            print(
                f"{file.relative_to(ROOT)}: {len(table.contexts)} contexts, mean over types "
                f"{table.mean_over_types:.4f}, over tokens {table.mean_over_tokens:.4f}, "
                f"{file.stat().st_size} bytes"
            )


if __name__ == "__main__":
    main()
