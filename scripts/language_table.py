"""The table of languages in docs/languages.md, from their plugins' READMEs and docs/results/languages.csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from scripts.make_languages import LANGUAGES, ROOT

BEGIN, END = "<!-- languages -->\n", "<!-- end of languages -->\n"
ROWS = ("boundaries of words (F1)", "tags of words with right boundaries")
HEAD = """| language | `--tagger` | tags right | boundaries right (F1) | gain of `stela` |
|---|---|---|---|---|
"""
OTHERS = {
    "en": ("English", "penn", "penn"),
    "zh": ("Chinese", "ctb", "ctb"),
    "ko": ("Korean", "sejong", "sejong"),
}
"""Languages whose taggers are made otherwise: name, tagger, plugin."""


def gains() -> dict[str, str]:
    """What STELA's z has over KGW's at equal mean bias, in per cent with its 95 % interval, by language."""
    with (ROOT / "docs/results/languages.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["language"]: "{:+.1f} % [{:.1f}, {:.1f}]".format(
                *(round(100 * float(row[f"gain, both{end}"]), 1) + 0.0 for end in ("", ", low", ", high"))
            )
            for row in csv.DictReader(file)
        }


def rows() -> Iterator[str]:
    """A row for each language, those with treebank taggers by their English names, then the others."""
    gained = gains()
    for code, recipe in sorted(LANGUAGES.items(), key=lambda item: item[1].name):
        readme = ROOT / "plugins" / f"stela-{code}" / "README.md"
        text = readme.read_text(encoding="utf-8")
        figures = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE))
        places, tags = (figures[row] for row in ROWS)
        link = f"[`{code}`](../plugins/stela-{code}/README.md)"
        cells = (recipe.name, link, tags, places, gained[code])
        yield f"| {' | '.join(cells)} |\n"
    for code, (name, tagger, plugin) in OTHERS.items():
        yield f"| {name} | [`{tagger}`](../plugins/stela-{plugin}/README.md) | | | {gained[code]} |\n"


def languages_page() -> str:
    """docs/languages.md with its table made anew."""
    page = (ROOT / "docs/languages.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{HEAD}{''.join(rows())}{END}{rest.split(END)[1]}"
