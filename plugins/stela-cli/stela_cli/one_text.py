"""The one text of a file, for commands about a single text."""

from __future__ import annotations

from stela_cli.documents.read import texts_of
from stela_cli.documents.sources import Readers, sources_of
from stela_cli.printing import say
from stela_core import Registry, StelaError


def one_text(file: str, registry: Registry) -> str:
    """The one text of a file, as ``stela detect`` reads it; what is to be said of it goes to the terminal.

    Raises:
        StelaError: it cannot be read, or holds another number of texts.
    """
    readers = Readers(registry)
    texts = list(texts_of(sources_of([file], None, _note, readers), "text", _note, readers))
    for text in texts:
        if isinstance(text, StelaError):
            raise text
    if len(texts) != 1:
        raise StelaError(f"{file} holds {len(texts)} texts.", "give a file of one text")
    (text,) = texts
    assert not isinstance(text, StelaError)
    return text.text


def _note(note: str) -> None:
    say(f"note: {note}", err=True)
