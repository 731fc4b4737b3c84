"""HTML, .docx and PDF: each is taken apart in a separate process (:mod:`.sandbox`)."""

from __future__ import annotations

from collections.abc import Iterator

from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.stream import MOST, Stream, decoded, whole

from stela_core import StelaError
from stela_documents.sandbox import LARGEST, require_library, text_of_document

PAGES = ("<!doctype html", "<html>", "<html ", "<head>", "<body>", "<body ")


class Document(Reader):
    """A file that is one document."""

    @classmethod
    def require(cls) -> None:
        """Find out whether the library is there."""
        require_library(cls.format)

    @classmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text]:
        """The document's text.

        Raises:
            StelaError: it is empty, no such document, or needs more time or memory than it may.
        """
        data = whole(stream, name, LARGEST[cls.format])
        if not data:
            raise StelaError(f"{name} is empty.", "give a document")
        if cls.format == "html":
            decoded(data, name)  # what it is instead is named, as of all text
        yield Text(name, text_of_document(cls.format, data, name))


class Pdf(Document):
    """The text layer of a PDF."""

    name = "documents-pdf"
    format = "pdf"
    called = "a PDF document"
    suffixes = (".pdf",)
    rank = -1

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """Whether the first bytes are those of a PDF."""
        return stream.head(5) == b"%PDF-"


class Docx(Document):
    """A document of Word's since 2007."""

    name = "documents-docx"
    format = "docx"
    called = "a .docx document"
    suffixes = (".docx", ".docm")
    rank = -1

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """A zip archive that names Word's own member."""
        return stream.head(4) == b"PK\x03\x04" and b"word/document.xml" in stream.head(4 * MOST)


class Html(Document):
    """A page's text, without what is not shown."""

    name = "documents-html"
    format = "html"
    called = "HTML"
    suffixes = (".html", ".htm", ".xhtml")

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """Whether it begins as a page does."""
        text = stream.head(4096).decode("utf-8-sig", "replace").lstrip().lower()
        while text.startswith(("<!--", "<?xml")):
            _, end, text = text.partition("-->" if text.startswith("<!--") else "?>")
            text = text.lstrip() if end else ""
        return text.startswith(PAGES)
