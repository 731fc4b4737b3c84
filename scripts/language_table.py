"""The table of shipped languages in docs/languages.md, from the figures in the READMEs of their plugins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scripts.make_languages import LANGUAGES, ROOT

BEGIN, END = "<!-- languages -->\n", "<!-- end of languages -->\n"
ROWS = (
    "trained with",
    "boundaries of words (F1)",
    "tags of words with right boundaries",
    "mean lambda over tokens",
)
HEAD = """| language | tagger | trained with | boundaries (F1) | tags right | mean lambda (k = 2) |
|---|---|---|---|---|---|
"""


def rows() -> Iterator[str]:
    """A row for each language that is shipped, by its English name."""
    for code, recipe in sorted(LANGUAGES.items(), key=lambda item: item[1].name):
        readme = ROOT / "plugins" / f"stela-{code}" / "README.md"
        text = readme.read_text(encoding="utf-8")
        figures = dict(re.findall(r"^\| (.+?) \| (.+?) \|$", text, re.MULTILINE))
        trained, places, tags, mean = (figures[row] for row in ROWS)
        link = f"[`{code}`](../plugins/stela-{code}/README.md)"
        cells = (recipe.name, link, trained.rsplit(", ", 1)[0], places, tags, mean.split()[0])
        yield f"| {' | '.join(cells)} |\n"


def languages_page() -> str:
    """docs/languages.md with its table made anew."""
    page = (ROOT / "docs/languages.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}{HEAD}{''.join(rows())}{END}{rest.split(END)[1]}"
