# mypy: disable-error-code="import-not-found"
"""Hook of mkdocs: the README, the changelog and the plugins' READMEs as pages, with links that lead there.

In the repository links are paths from the file they stand in, and they stay so: what a page links to is found
there, and written as the path between the two pages of the site. A link to what is no page, such as a script,
becomes its name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
DOCS = "docs"
LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def outside() -> dict[str, str]:
    """Pages that lie outside docs/, by their path in the repository: their path in the site."""
    pages = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
    for file in sorted(ROOT.glob("plugins/*/README.md")):
        pages[file.relative_to(ROOT).as_posix()] = f"plugins/{file.parent.name.removeprefix('_')}.md"
    return pages


def page_of(path: str) -> str | None:
    """The site's path of a file of the repository; None where it is not in the site."""
    if path.startswith(f"{DOCS}/") and (ROOT / path).is_file():
        return path.removeprefix(f"{DOCS}/")
    return outside().get(path.removesuffix("/"), outside().get(f"{path.removesuffix('/')}/README.md"))


def with_links_of_the_site(markdown: str, source: str) -> str:
    """A page's text with the links that its file has in the repository written for the site.

    Args:
        markdown: the text.
        source: the file's path in the repository.

    Raises:
        ValueError: a link leads nowhere in the repository, either.
    """
    here = posixpath.dirname(page_of(source) or "")

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match["path"]))
        if not (ROOT / target).exists():
            raise ValueError(f"{source}: {match['path']} leads nowhere")
        page = page_of(target)
        if page is None:
            return match["text"]
        return f"[{match['text']}]({posixpath.relpath(page, here or '.')}{match['anchor'] or ''})"

    return LINK.sub(link, markdown)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside docs/."""
    for source, page in outside().items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Write a page's links for the site."""
    path = page.file.src_uri
    sources = {site: source for source, site in outside().items()}
    return with_links_of_the_site(markdown, sources.get(path, f"{DOCS}/{path}"))
