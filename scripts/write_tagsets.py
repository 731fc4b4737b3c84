"""Write docs/tagsets.md and its figures from the tables that the plugins ship."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from stela_tables.cli.lambda_show import ranked
from stela_tables.file import read_table
from stela_tables.table import IndeterminacyTable

import stela_core as stela
from stela_core.registry.tagger_spec import make_tagger

DOCS = Path(__file__).parents[1] / "docs"
COMMON = 1_000
"""Contexts in the lists were seen this often at least: rarer ones are mostly noise."""


class Row(NamedTuple):
    """A tagger, and what the paper says of its tag set (mean over types, at the paper's k)."""

    language: str
    spec: str
    paper: float


TAGGERS = (
    Row("English", "penn", 0.575),
    Row("English", "ud-spacy:en", 0.686),
    Row("Chinese", "ctb", 0.523),
    Row("Chinese", "ud-spacy:zh", 0.643),
    Row("Korean", "sejong", 0.475),
    Row("Korean", "ud-spacy:ko", 0.647),
)
HEAD = """# Tag sets

The tag sets of each language, and how freely tags follow each other by the shipped [tables](tables.md).

    stela profile new --scheme stela --tagger sejong --k 3 --model tiny --public-key -o p.stela

marks by the Sejong tags and contexts of k - 1 = 2 tags, and prints, for example:

```
p.stela: scheme stela, key id 6db2e11a (public)
```

The finer the tag set, the more contexts and the lower [lambda](tables.md#what-is-lambda). Universal
Dependencies (UD) exist for every language with a treebank; a language's own tags say more. A table from
a treebank needs no tagger ([tables](tables.md#from-a-treebank-with-no-tagger)).

Bold is the default k, which is the paper's. Figures of the *paper* (Park et al. 2026) are of other
taggers and corpora.

"""
TAIL = """
## Limits

Means depend on the size of the corpus ([tables](tables.md#limits)). Delta is divided by the mean over
tokens, which text meets, unless a profile says `calibration = "types"` ([statistics](statistics.md)).
`scripts/write_tagsets.py` writes this page.
"""


def page(registry: stela.Registry) -> str:
    """The text of docs/tagsets.md."""
    tables = {row: tables_of(registry, row.spec) for row in TAGGERS}
    defaults = {row: make_tagger(registry, row.spec).k for row in TAGGERS}
    lines = ["| language | tagger | tag set | tags |", "|---|---|---|---|"]
    for row, by_k in tables.items():
        table = by_k[2]
        lines.append(f"| {row.language} | `{row.spec}` | {table.tagger.tagset} | {len(table.tags)} |")
    lines += [
        "",
        "| tagger | k | contexts | mean over types | paper | mean over tokens |",
        "|---|---|---|---|---|---|",
    ]
    for row, by_k in tables.items():
        for k, table in by_k.items():
            usual = k == defaults[row]
            cells = [
                f"`{row.spec}`" if k == 2 else "",
                f"**{k}**" if usual else str(k),
                f"{len(table.contexts):,}",
                f"{table.mean_over_types:.3f}",
                f"{row.paper:.3f}" if usual else "",
                f"{table.mean_over_tokens:.3f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"Lists below: contexts seen {COMMON:,} times or more at that k, with their lambda.", ""]
    for language in dict.fromkeys(row.language for row in TAGGERS):
        lines += [
            f"## {language}",
            "",
            f"![Lambda by context, {language}](tagsets-{language.lower()}.svg)",
            "",
        ]
        for row in TAGGERS:
            if row.language == language:
                table = tables[row][defaults[row]]
                lines += [
                    f"- `{row.spec}` free: {listed(table, True)}",
                    f"- `{row.spec}` bound: {listed(table, False)}",
                ]
        lines.append("")
    return HEAD + "\n".join(lines) + TAIL


def tables_of(registry: stela.Registry, spec: str) -> dict[int, IndeterminacyTable]:
    """The shipped tables of a tagger, by k."""
    return {k: read_table(path) for k, path in sorted(make_tagger(registry, spec).tables().items())}


def listed(table: IndeterminacyTable, highest: bool, count: int = 3) -> str:
    """The contexts of highest or lowest lambda."""
    entries = ranked(table, count, COMMON)[0 if highest else 1]
    return ", ".join(f"`{' '.join(e.context)}` ({e.value:.2f})" for e in entries)


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from scripts.tagset_figures import draw

    registry = stela.create_registry()
    (DOCS / "tagsets.md").write_text(page(registry), encoding="utf-8")
    for language in dict.fromkeys(row.language for row in TAGGERS):
        panels = []
        for row in TAGGERS:
            if row.language == language:
                tables = tables_of(registry, row.spec)
                usual = tables[make_tagger(registry, row.spec).k]
                panels.append((f"{usual.tagger.tagset} ({row.spec})", tables[2], usual))
        draw(DOCS / f"tagsets-{language.lower()}.svg", panels)


if __name__ == "__main__":
    main()
