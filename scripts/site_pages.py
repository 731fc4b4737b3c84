# mypy: disable-error-code="import-not-found"
"""Hook of mkdocs: the README, the changelog and the plugins' READMEs as pages, with links that lead there.

In the repository links are paths from the file they stand in, and they stay so: what a page links to is found
there, and written as the path between the two pages of the site. A link to a script or another file becomes
its name. A picture has to be in docs/.
"""

from __future__ import annotations

import os
import posixpath
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]
DOCS = "docs"
FOUND = re.compile(
    r"(?P<code>^(?P<fence>```+).*?^(?P=fence)|(?P<tick>`+)(?!`)(?:(?!\n\n).)*?(?P=tick)(?!`))"
    r"|(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)"
    r"|!\[(?P<alt>[^\[\]]*)\]\((?P<picture>[^):\s]+)\)"
    r"|<img(?P<before>[^>]*?\ssrc=(?P<quote>[\"']))(?P<raw>[^\"':]+)(?P=quote)",
    re.MULTILINE | re.DOTALL,
)
"""What links and pictures are written as; code comes first, for none is one in it."""

SHORT = re.compile(r"<code>(?=[^<]{1,24}</code>)")
"""Code that is kept on one line: an option would be parted after its hyphens."""


def outside() -> dict[str, str]:
    """Pages that lie outside docs/, by their path in the repository: their path in the site."""
    pages = {"README.md": "index.md", "CHANGELOG.md": "CHANGELOG.md", "CONTRIBUTING.md": "CONTRIBUTING.md"}
    pages["bundle/README.md"] = "plugins/stela-watermark.md"
    for file in sorted(ROOT.glob("plugins/*/README.md")):
        pages[file.relative_to(ROOT).as_posix()] = f"plugins/{file.parent.name.removeprefix('_')}.md"
    return pages


def page_of(path: str) -> str | None:
    """The site's path of a file of the repository; None where it is not in the site."""
    if path.startswith(f"{DOCS}/") and (ROOT / path).is_file():
        return path.removeprefix(f"{DOCS}/")
    return outside().get(path.removesuffix("/"), outside().get(f"{path.removesuffix('/')}/README.md"))


def with_links_of_the_site(markdown: str, source: str, page: str, url: str = "") -> str:
    """A page's text with the links and pictures that its file has in the repository written for the site.

    Args:
        markdown: the text.
        source: the file's path in the repository.
        page: its path in the site's sources, from where Markdown's links lead.
        url: its path in the site, from where HTML's lead.

    Raises:
        ValueError: a link leads nowhere in the repository, or a picture is not in the site.
    """

    def there(path: str) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        if not (ROOT / target).exists():
            raise ValueError(f"{source}: {path} leads nowhere")
        return target

    def picture(path: str, start: str) -> str:
        shown = page_of(there(path))
        if shown is None:
            raise ValueError(f"{source}: the picture {path} is not in {DOCS}/")
        return posixpath.relpath(shown, start or ".")

    here = posixpath.dirname(page)

    def link(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        if match["picture"]:
            return f"![{match['alt']}]({picture(match['picture'], here)})"
        if match["raw"]:
            return f"<img{match['before']}{picture(match['raw'], url)}{match['quote']}"
        linked = page_of(there(match["path"]))
        if linked is None:
            return match["text"]
        return f"[{match['text']}]({posixpath.relpath(linked, here or '.')}{match['anchor'] or ''})"

    return FOUND.sub(link, markdown)


def repository() -> str | None:
    """Where the sources lie: of pyproject.toml's ``project.urls``, else the variable STELA_REPOSITORY."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository") or os.environ.get("STELA_REPOSITORY") or None


def on_config(config: Any) -> Any:
    """Add the link to the repository, where one is known, and the plugins' pages to the navigation.

    The choice of a version is shown only where mike builds the site: otherwise no file lists the versions.
    """
    if url := repository():
        config.repo_url = url
        config.repo_name = "/".join(url.rstrip("/").split("/")[-2:])
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike", "default": "latest"}
    [reference] = [item["Reference"] for item in config.nav if "Reference" in item]
    [section] = [item["Plugins"] for item in reference if "Plugins" in item]
    section.extend(page for page in outside().values() if page.startswith("plugins/"))
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages from outside docs/."""
    from mkdocs.structure.files import File

    for source, page in outside().items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Write a page's links for the site."""
    path = page.file.src_uri
    source = {site: source for source, site in outside().items()}.get(path, f"{DOCS}/{path}")
    if not (ROOT / source).exists():  # Written by another hook, for the site.
        return markdown
    return with_links_of_the_site(markdown, source, path, page.file.url)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Name short code for the style sheet."""
    return SHORT.sub('<code class="short">', html)
