"""The text of a .docx document's body. Run by ``child.py``: python-docx and lxml."""

from __future__ import annotations

import io
import zipfile
from typing import Any

MOST = 1 << 26
"""Bytes of all members, unpacked."""

MEMBERS = 10_000

LEFT_OUT = {"del", "moveFrom", "Fallback", "instrText", "delText", "rt"}
"""Deleted text of tracked changes, the second copy of text boxes, and glosses of a phonetic guide."""

CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def text_of(data: bytes) -> str:
    """Paragraphs of the body in their order, tables and text boxes among them, one on each line.

    Headers, footers, notes and comments are left out; tracked changes are taken as accepted.

    Raises:
        ValueError: it is not a .docx, or unpacks to more than it may.
    """
    require_small(data)
    from docx.oxml import parse_xml
    from docx.package import Package
    from lxml import etree

    document = Package.open(io.BytesIO(data)).main_document_part
    hidden = _hidden_styles(document)
    parts: list[str] = []
    walk = etree.iterwalk(parse_xml(document.blob), events=("start", "end"))
    for event, element in walk:
        if not isinstance(element.tag, str):
            continue
        name = etree.QName(element).localname
        if event == "end":
            if name == "p":
                parts.append("\n")
        elif name in LEFT_OUT or (name == "r" and _hidden(element, hidden)):
            walk.skip_subtree()
        elif name == "t":
            parts.append(element.text or "")
        elif name in CHARACTERS and etree.QName(element.getparent()).localname == "r":
            parts.append(CHARACTERS[name])
    return "".join(parts).removesuffix("\n")


def require_small(data: bytes) -> None:
    """Unpack every member by chunks, counting what comes out: a member's header may lie.

    Raises:
        ValueError: it is not a zip, or there is too much in it.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
        if len(members) > MEMBERS:
            raise ValueError(f"it has more than {MEMBERS:,} members")
        total = 0
        for member in members:
            with archive.open(member) as file:
                while chunk := file.read(1 << 16):
                    total += len(chunk)
                    if total > MOST:
                        raise ValueError(f"it unpacks to more than {MOST >> 20} MiB")
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ValueError(f"it is not a .docx document ({error})") from None


def _hidden(run: Any, styles: set[str]) -> bool:
    """Whether the run is set in hidden letters, itself or by the style of it or of its paragraph."""
    space = run.tag.partition("}")[0] + "}"
    vanishes = _vanishes(run, space)
    if vanishes is not None or not styles:
        return bool(vanishes)
    paragraph = next(run.iterancestors(f"{space}p"), None)
    used = [run.find(f"{space}rPr/{space}rStyle")]
    used += [] if paragraph is None else [paragraph.find(f"{space}pPr/{space}pStyle")]
    return any(style is not None and style.get(f"{space}val") in styles for style in used)


def _vanishes(element: Any, space: str) -> bool | None:
    """Whether its letters are hidden; ``None`` where it does not say."""
    vanish = element.find(f"{space}rPr/{space}vanish")
    return None if vanish is None else vanish.get(f"{space}val") not in ("0", "false", "off")


def _hidden_styles(document: Any) -> set[str]:
    """The styles whose letters are hidden."""
    from docx.oxml import parse_xml

    part = next((one.target_part for one in document.rels.values() if one.reltype.endswith("/styles")), None)
    if part is None:
        return set()
    styles = parse_xml(part.blob)
    space = styles.tag.partition("}")[0] + "}"
    own: dict[str, bool | None] = {}
    based: dict[str, str | None] = {}
    for style in styles.iter(f"{space}style"):
        name, base = style.get(f"{space}styleId"), style.find(f"{space}basedOn")
        own[name] = _vanishes(style, space)
        based[name] = None if base is None else base.get(f"{space}val")
    hidden: set[str] = {name for name, vanishes in own.items() if vanishes}
    for _ in range(10 if hidden else 0):  # as deep as styles are based on each other
        hidden |= {name for name, base in based.items() if own[name] is None and base in hidden}
    return hidden
