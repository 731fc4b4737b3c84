"""Every page is of one of four kinds, its place shows which, and the words of each kind have a budget.

*Start* is what a newcomer needs first, *guides* have one task each, *reference* is looked up, *evidence*
holds what was measured. Whoever writes more words takes some away elsewhere: the numbers here may only fall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.helpers import for_each, words_in

ROOT = Path(__file__).parents[1]
DOCS = sorted(page for page in (ROOT / "docs").glob("*.md") if not page.name.startswith("README"))
KINDS = ("start", "guides", "reference", "evidence")

GUIDE = 600
"""Words of a guide, with its code and tables."""
LONGER_GUIDES = {
    "experiments.md": 812,
    "generating.md": 691,
    "kgw.md": 659,
    "payload.md": 854,
    "service.md": 923,
    "serving.md": 1_056,
    "weights.md": 1_120,
}
"""Guides that are longer, with their words today: the goal is :data:`GUIDE`."""
TEACHING, EVIDENCE = 15_000, 12_000
"""Words of start and guides together, and of all evidence: the goals, which are reached."""
COLUMNS = 7
"""Of a table; one with more becomes two, or leaves some to its file."""

TASKS = {
    "install": "make install",
    "generating": "stela generate --profile",
    "detecting": "stela detect --profile",
    "which-scheme": "If you name no scheme you get `synthid`",
    "writing-a-scheme": "stela new scheme NAME",
    "languages": "stela language new",
    "experiments": "stela compare",
    "serving": "vllm serve",
    "trust": '"No watermark found" does not say that a person wrote',
    "statistics": "is the chance that unmarked text looks at least this marked",
}
"""Ten pages that a newcomer opens from the README, and what answers the first question there."""
SCREEN = 1_200
"""Characters of a page that are seen without scrolling, with room to spare."""


def pages_in(nav: object) -> Iterator[str]:
    """The pages of docs/ in a part of the navigation."""
    if isinstance(nav, str):
        if (ROOT / "docs" / nav).exists() and not nav.startswith("README"):
            yield nav
    elif isinstance(nav, (list, dict)):
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from pages_in(part)


def kinds_of_the_site() -> dict[str, str]:
    """The kind of each page, by the tab that it stands under."""
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    return {page: tab.lower() for part in nav for tab, inner in part.items() for page in pages_in(inner)}


KIND = kinds_of_the_site()


def kinds_of_the_readme(readme: Path) -> dict[str, str]:
    """The kind of each page, by the row of the last table that names it."""
    table = re.findall(r"^\|.*$", readme.read_text(encoding="utf-8").rpartition("\n## ")[2], re.MULTILINE)
    where = "docs/" if readme.parent == ROOT else ""
    kinds = [KINDS[0], *[KINDS[1]] * 4, *KINDS[2:]]
    return {
        page: kind
        for kind, row in zip(kinds, table[2:], strict=True)
        for page in re.findall(rf"\]\({where}([\w-]+\.md)\)", row)
        if page in KIND
    }


def words_of(*kinds: str) -> int:
    return sum(words_in(page.read_text(encoding="utf-8")) for page in DOCS if KIND[page.name] in kinds)


def test_every_page_has_one_kind_which_its_place_shows() -> None:
    assert set(KIND) == {page.name for page in DOCS}
    assert set(KIND.values()) == set(KINDS)
    english = (ROOT / "README.md").read_text(encoding="utf-8").rpartition("\n## ")[2]
    rows = re.findall(r"^\| ([a-z]+)[:a-z ]* \|", english, re.MULTILINE)
    assert list(dict.fromkeys(rows)) == ["kind", *KINDS]
    for readme in (ROOT / "README.md", *(ROOT / "docs").glob("README.*.md")):
        assert kinds_of_the_readme(readme) == KIND, readme.name


def test_words_of_the_kinds_are_within_their_budgets() -> None:
    assert words_of("start", "guides") <= TEACHING
    assert words_of("evidence") <= EVIDENCE


@for_each("page", [page for page in DOCS if KIND[page.name] == "guides"])
def test_a_guide_is_short(page: Path) -> None:
    assert words_in(page.read_text(encoding="utf-8")) <= LONGER_GUIDES.get(page.name, GUIDE)


def test_a_longer_guide_that_became_shorter_keeps_its_gain() -> None:
    """A hundred words of slack are taken back: lower the number, or drop the page from the list."""
    for name, most in LONGER_GUIDES.items():
        assert KIND[name] == "guides"
        assert most > GUIDE
        assert words_in((ROOT / "docs" / name).read_text(encoding="utf-8")) > most - 100, name


@for_each("page", DOCS)
def test_tables_fit_on_a_screen(page: Path) -> None:
    lines = re.findall(r"^\|[ :-]*-[ |:-]*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    widest = max((line.count("|") - 1 for line in lines), default=0)
    assert widest <= COLUMNS


def test_words_are_counted_as_a_reader_counts_them() -> None:
    assert words_in("| one | `two` |\n|---|---|\n- three, 4 = 5 (six-seven).") == 6


@for_each("page", TASKS)
def test_the_first_screen_answers_the_newcomers_question(page: str) -> None:
    assert f"](docs/{page}.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert TASKS[page] in (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")[:SCREEN]
