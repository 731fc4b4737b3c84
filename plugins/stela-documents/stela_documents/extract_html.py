"""The text that a reader of an HTML page sees. Run by ``child.py``: only the standard library.

It is our own: selectolax takes time of the square of how deep elements lie in each other (100,000 ``<div>``:
over 25 s, half a second here), and BeautifulSoup makes a tree of what this very parser says, or a slower one.
"""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

# fmt: off
UNSEEN = {
    "head", "script", "style", "template", "noscript", "title", "iframe", "object", "canvas", "audio",
    "video", "svg", "select", "datalist", "dialog", "noframes", "noembed", "progress", "meter",
    "rt", "rp", "rtc", "annotation", "annotation-xml", "mphantom", "mjx-assistive-mml"
}
"""Elements whose content is not shown on the page, or not as text; glosses stand above the text."""

SHOWN_IF = {"dialog": "open"}
SHOWN_WITHOUT = {"object": "data"}
"""Hidden elements that are shown with an attribute (``SHOWN_IF``), or without one."""

UNSEEN_CLASSES = {"katex-mathml", "sr-only", "visually-hidden", "screen-reader-text"}
"""What the style sheets in common use take out of sight."""

IN_HEAD = {"title", "meta", "link", "script", "style", "base", "noscript", "template"}
VOID = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr"
}

PARAGRAPHS = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "ul", "ol", "dl", "table", "figure", "hr"
}
"""Set off by an empty line."""

BLOCKS = {
    "address", "article", "aside", "body", "caption", "center", "dd", "details", "dialog", "dir", "div", "dt",
    "fieldset", "figcaption", "footer", "form", "header", "hgroup", "html", "legend", "li", "main", "menu",
    "nav", "search", "section", "summary", "tbody", "tfoot", "thead", "tr"
}
"""Elements that stand on separate lines."""

ENDS_P = (PARAGRAPHS | BLOCKS) - {"body", "caption", "html", "legend", "tbody", "tfoot", "thead", "tr"}
ENDED_BY = {
    **{tag: {tag} for tag in ("li", "option")},
    "p": ENDS_P,
    "td": {"td", "th", "tr", "tbody", "tfoot"}, "th": {"td", "th", "tr", "tbody", "tfoot"},
    "tr": {"tr", "tbody", "tfoot"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"},
    **{tag: {"rb", "rt", "rp", "rtc"} for tag in ("rb", "rt", "rp")}, "rtc": {"rb", "rtc"},
}
"""Elements whose end tag may be left out, and those that end them when they begin."""
# fmt: on

HIDDEN = re.compile(
    r"(?<![\w-])(display\s*:\s*none|(content-)?visibility\s*:\s*(hidden|collapse)"
    r"|(opacity|font-size)\s*:\s*0(\.0*)?(?![.\d]))",
    re.IGNORECASE,
)
SPACES = re.compile(r"[ \t\n\r\f]+")


def text_of(data: bytes) -> str:
    """Visible text: white space as a browser shows it, paragraphs set off by empty lines.

    Raises:
        ValueError: it is not UTF-8.
    """
    page = _Page()
    page.feed(data.decode("utf-8-sig"))
    page.close()
    return page.text()


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, bool]] = []
        """Elements not closed yet, each with whether it hides its content."""
        self._count: Counter[str] = Counter()
        self._hidden = self._kept = 0
        self._parts: list[str] = []
        self._breaks = 0
        """Line feeds due before the next text."""
        self._space = False
        self._xml = False
        """Whether a slash closes an element, as it does in XHTML."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._line_feed()
            return
        if self._open[-1:] and self._open[-1][0] == "head" and tag not in IN_HEAD:
            self._close()  # the head's own end tag may be left out
        while self._open and tag in ENDED_BY.get(self._open[-1][0], ()):
            self._close()
        self._block(tag)
        if tag in VOID:
            return
        values = dict(attrs)
        hides = _hides(tag, values)
        self._xml = self._xml or (tag == "html" and "xmlns" in values)
        self._open.append((tag, hides))
        self._count[tag] += 1
        self._hidden += hides
        self._kept += tag in ("pre", "textarea")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # In HTML a slash closes nothing: <div/> is <div>, but for pictures and formulas.
        self.handle_starttag(tag, attrs)
        drawn = self._count["svg"] + self._count["math"]
        if (self._xml or drawn) and tag not in VOID and self._open[-1:] and self._open[-1][0] == tag:
            self._close()

    def handle_pi(self, data: str) -> None:
        self._xml = self._xml or data.startswith("xml ")

    def unknown_decl(self, data: str) -> None:
        if self._xml and data.startswith("CDATA["):
            self.handle_data(data.removeprefix("CDATA["))

    def handle_endtag(self, tag: str) -> None:
        if self._count[tag]:
            while self._close() != tag:
                pass
        self._block(tag)

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        data = data.replace("\u00ad", "")  # a place where a word may be broken
        if self._kept:
            self._put(data)
            return
        data = SPACES.sub(" ", data).replace("\u00a0", " ")
        if data.startswith(" "):
            self._space = True
        if data.strip(" "):
            self._put(data.strip(" "))
            self._space = data.endswith(" ")

    def text(self) -> str:
        """All that was seen."""
        return "".join(self._parts)

    def _put(self, text: str) -> None:
        if self._parts:
            self._parts.append("\n" * self._breaks or " " * self._space)
        self._parts.append(text)
        self._breaks, self._space = 0, False

    def _close(self) -> str:
        tag, hides = self._open.pop()
        self._count[tag] -= 1
        self._hidden -= hides
        self._kept -= tag in ("pre", "textarea")
        return tag

    def _block(self, tag: str) -> None:
        if self._hidden:
            return
        if tag in PARAGRAPHS:
            self._breaks = max(self._breaks, 2)
        elif tag in BLOCKS:
            self._breaks = max(self._breaks, 1)
        elif tag in ("td", "th"):
            self._space = True

    def _line_feed(self) -> None:
        if not self._hidden:
            self._breaks = min(self._breaks + 1, 2)


def _hides(tag: str, values: dict[str, str | None]) -> bool:
    """Whether what is in an element is not shown."""
    if "hidden" in values or HIDDEN.search((values.get("style") or "")[:2000]):
        return True
    if not UNSEEN_CLASSES.isdisjoint((values.get("class") or "")[:2000].split()):
        return True
    if tag in SHOWN_IF:
        return SHOWN_IF[tag] not in values
    return tag in UNSEEN and (tag not in SHOWN_WITHOUT or SHOWN_WITHOUT[tag] in values)
