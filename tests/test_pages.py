"""Pages say what the code says, their links lead somewhere, and they are as short as they promise."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import stela_core as stela
from stela_core.profile.schema import Profile
from tests.helpers import for_each

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))


def test_profile_schema_is_the_published_one() -> None:
    published = json.loads((ROOT / "docs" / "profile.schema.json").read_text(encoding="utf-8"))
    assert published == Profile.model_json_schema()


PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *DOCS,
    *sorted(ROOT.glob("plugins/*/README.md")),
]


def anchors(page: Path) -> set[str]:
    """What a link to a heading is written with: its words in lower case, hyphens between them."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in titles]
    return {re.sub(r"[\s-]+", "-", title) for title in plain}


@for_each("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8")):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def test_anchors_of_headings() -> None:
    found = anchors(ROOT / "docs" / "results.md")
    assert {"equal-strength", "detection-five-schemes-three-languages"} <= found
    assert "the-equal-strength" not in found


def test_every_page_is_in_the_site_and_linked_from_the_readme() -> None:
    """The navigation is a list of its own: a page that is added later has to be put there."""
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for page in DOCS:
        assert f": {page.name}\n" in site, page.name
        assert f"(docs/{page.name})" in readme, page.name
    for name in re.findall(r": ([\w-]+\.md)$", site, re.MULTILINE):
        assert name == "index.md" or any(name == page.name for page in PAGES), name


MEASURED = ("results.md", "results-gemma-3-270m.md", "trust.md")


def test_numbers_of_which_scheme_are_measured_ones() -> None:
    """Each stands in the results, or in what was measured of forging and edits; a new run may change them."""
    docs = ROOT / "docs"
    files = [*(docs / name for name in MEASURED), *sorted(docs.glob("results/**/*.csv"))]
    sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
    page = (docs / "which-scheme.md").read_text(encoding="utf-8").split("```")  # every second is an output
    measured = set(re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.])", sources))
    told = re.findall(r"(?<![\w.])-?\d+\.\d+(?![\w.])", "".join(page[::2]))
    assert len(told) >= 20
    assert [number for number in told if number not in measured] == []


def test_directory_of_plugins_is_what_is_registered(registry: stela.Registry) -> None:
    """Each component by hand, in the row of its distribution: the page that ``make docs`` writes."""
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    rows = {
        line.split("|")[1].strip(" []").partition("]")[0]: line for line in page.splitlines() if "|" in line
    }
    for entry in registry:
        row = rows[entry.origin.distribution]
        assert f"`{entry.component.name}`" in row
        assert entry.kind in row
    folders = [file.parent.name for file in ROOT.glob("plugins/stela-*/pyproject.toml")]
    assert set(folders) <= set(rows)
    assert "Penn Treebank; en" in rows["stela-penn"]
    assert "| torch |" in rows["stela-ctb"]


@pytest.mark.slow
def test_pages_are_those_that_make_docs_writes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scripts.write_docs", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    written = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert set(written) == {"languages.md", "plugins.md", "profile.schema.json", "schemes.md", "serving.md"}
    for name, content in written.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == content, name


def test_architecture_fits_on_one_page() -> None:
    lines = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 80


@pytest.mark.deep(stand_in="test_pages_are_those_that_make_docs_writes")
@pytest.mark.slow
def test_tag_sets_page_is_what_the_tables_say(registry: stela.Registry) -> None:
    found = runpy.run_path(str(ROOT / "scripts" / "write_tagsets.py"))["page"](registry)
    assert found == (ROOT / "docs" / "tagsets.md").read_text(encoding="utf-8")


def test_table_of_schemes_is_what_is_registered(registry: stela.Registry) -> None:
    """Each row by hand, and no other rows: the table that ``make docs`` writes."""
    page = (ROOT / "docs" / "schemes.md").read_text(encoding="utf-8")
    names = registry.names(stela.Scheme)
    for name in names:
        scheme = registry.get(stela.Scheme, name)
        detects = "no" if "logits" in registry.get(stela.Weighting, scheme.evidence).needs else "yes"
        row = [
            f"`{name}`",
            scheme.paper,
            scheme.hasher,
            *(part.removeprefix("uniform") for part in (scheme.strength, scheme.evidence)),
            scheme.scorer.removeprefix("grouped"),
            detects,
        ]
        assert f"| {' | '.join(row)} |" in page
    assert set(names) >= {"kgw", "stela", "sweet", "ewd", "morphmark", "unigram"}
