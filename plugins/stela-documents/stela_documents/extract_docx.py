"""The text of a .docx document's body. Run by ``child.py``: python-docx and lxml."""

from __future__ import annotations

import io
import zipfile
from typing import Any

MOST = 1 << 26
"""Bytes of all members, unpacked."""

MEMBERS = 10_000

LEFT_OUT = {"del", "moveFrom", "Fallback", "instrText", "delText"}
"""Deleted text of tracked changes, and the second copy of text boxes."""

CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def text_of(data: bytes) -> str:
    """Paragraphs of the body in their order, tables and text boxes among them, one on each line.

    Headers, footers, notes and comments are left out; tracked changes are taken as accepted.

    Raises:
        ValueError: it is no .docx, or unpacks to more than it may.
    """
    require_small(data)
    from docx import Document
    from lxml import etree

    body = Document(io.BytesIO(data)).element.body
    parts: list[str] = []
    walk = etree.iterwalk(body, events=("start", "end"))
    for event, element in walk:
        if not isinstance(element.tag, str):
            continue
        name = etree.QName(element).localname
        if event == "end":
            if name == "p":
                parts.append("\n")
        elif name in LEFT_OUT or (name == "r" and _hidden(element)):
            walk.skip_subtree()
        elif name == "t":
            parts.append(element.text or "")
        elif name in CHARACTERS and etree.QName(element.getparent()).localname == "r":
            parts.append(CHARACTERS[name])
    return "".join(parts).removesuffix("\n")


def require_small(data: bytes) -> None:
    """Unpack every member by chunks, counting what comes out: a member's header may lie.

    Raises:
        ValueError: it is no zip, or there is too much in it.
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
        raise ValueError(f"it is no .docx document ({error})") from None


def _hidden(run: Any) -> bool:
    """Whether the run is set in hidden letters."""
    space = run.tag.partition("}")[0] + "}"
    vanish = run.find(f"{space}rPr/{space}vanish")
    return vanish is not None and vanish.get(f"{space}val") not in ("0", "false", "off")
