"""Small documents made by hand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from docx import Document
from stela_cli.documents.read import texts_of
from stela_cli.documents.reader import Text
from stela_cli.documents.sources import Readers, sources_of

from stela_core.errors import StelaError
from stela_core.registry.components import default_registry

NOTES: list[str] = []
READERS = Readers(default_registry())


def read(*paths: object, kind: str | None = None, column: str = "text") -> list[Text | StelaError]:
    """All that the paths hold; notes are in ``NOTES`` afterwards."""
    NOTES.clear()
    sources = sources_of([str(path) for path in paths], kind, NOTES.append, READERS)
    return list(texts_of(sources, column, NOTES.append, READERS))


def texts(*paths: object, kind: str | None = None, column: str = "text") -> list[str]:
    """Texts of paths in which nothing is wrong."""
    found = read(*paths, kind=kind, column=column)
    assert not [item for item in found if isinstance(item, StelaError)], found
    return [item.text for item in found if isinstance(item, Text)]


def error(*paths: object, kind: str | None = None, column: str = "text") -> StelaError:
    """The one thing that is wrong with the paths."""
    [found] = read(*paths, kind=kind, column=column)
    assert isinstance(found, StelaError), found
    assert found.hint
    return found


def pdf(content: bytes, filters: bytes = b"", kids: bytes = b"3 0 R") -> bytes:
    """A PDF of one page, whose content stream is given."""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, kids.count(b"R")),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), filters, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, value in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, value)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return out + end % (table, len(out))


def pdf_of_lines(lines: list[str]) -> bytes:
    """A PDF with these lines below each other."""
    shown = " ".join(f"({line}) Tj 0 -14 Td" for line in lines)
    return pdf(f"BT /F 12 Tf 40 760 Td {shown} ET".encode())


def docx(paragraphs: list[str], **members: bytes) -> bytes:
    """A .docx, with some members replaced: ``document=...`` is ``word/document.xml``."""
    made = Document()
    for paragraph in paragraphs:
        made.add_paragraph(paragraph)
    plain = io.BytesIO()
    made.save(plain)
    changed = io.BytesIO()
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, members.get(Path(name).stem, source.read(name)))
    return changed.getvalue()


def body(content: str) -> bytes:
    """``word/document.xml`` with this content."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return f'<w:document xmlns:w="{space}"><w:body>{content}</w:body></w:document>'.encode()
