"""Texts out of .docx, .pdf, .html, .csv, .json and servers' answers, for ``stela detect``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stela_core as stela

if TYPE_CHECKING:
    from stela_cli.documents.reader import Reader


@stela.hookimpl
def stela_register_readers() -> list[type[Reader]]:
    """A reader a format."""
    from stela_documents.csv_rows import Csv
    from stela_documents.documents import Docx, Html, Pdf
    from stela_documents.event_stream import Events
    from stela_documents.json_file import AnswerLines, Json

    return [AnswerLines, Csv, Docx, Events, Html, Json, Pdf]
