# mypy: disable-error-code="import-not-found,misc,assignment"
"""Extension of griffe: docstrings' references as links of the site.

``:class:`stela_core.Scheme` `` becomes a link to its place in the reference, ``:meth:`detect` `` code, and
``docs/statistics.md`` a link to that page.
"""

from __future__ import annotations

import re
from typing import Any

try:
    from griffe import Extension, Object
except ImportError:  # Where the tests run.
    Extension = object

ROLE = re.compile(r":\w+:`[~.]?(?P<name>[\w.]+)`")
PAGE = re.compile(r"\bdocs/(?P<page>[\w-]+)\.md\b")
LITERAL = re.compile(r"::$", re.MULTILINE)
"""Before code."""


def with_links(text: str) -> str:
    """A docstring as Markdown for a page of the reference; mkdocs checks where its links lead."""

    def role(match: re.Match[str]) -> str:
        name = match["name"]
        return f"[`{name}`][{name}]" if name.startswith("stela_core.") else f"`{name}`"

    text = LITERAL.sub(":", ROLE.sub(role, text))
    return PAGE.sub(r"[\g<page>](../\g<page>.md)", text)


class Site(Extension):
    """What mkdocs.yml names."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Write one docstring's references as links."""
        if obj.docstring is not None:
            obj.docstring.value = with_links(obj.docstring.value)
