"""Texts out of sources, one after the other; in place of what cannot be read, the error that says why."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from stela_cli.documents.encodings import NotUtf8Error
from stela_cli.documents.plain_text import PlainText
from stela_cli.documents.reader import Note, Reader, Text
from stela_cli.documents.sources import Readers, Source
from stela_cli.documents.stream import CHARACTERS, TOO_LONG, Stream, opened
from stela_core import StelaError, require_well_formed
from stela_core.api import contained, lent

log = logging.getLogger(__name__)

MAX_SHORT_TEXTS = 10_000
"""Texts of one file, where they have fewer than ``SHORT_CHARACTERS`` on average: a small file of millions of
rows would keep the detector busy for minutes."""
SHORT_CHARACTERS = 20


def texts_of(
    sources: Iterable[Source | StelaError], column: str, note: Note, readers: Readers
) -> Iterator[Text | StelaError]:
    """Texts as they are read; in place of what cannot be read or tested, the error that says why.

    Args:
        sources: what to read.
        column: field of JSON objects and column of CSV files that holds the text; may be a dotted path.
        note: is told what a source without a name was taken for, what seems to be misnamed, and what of
            servers' answers is left out.
        readers: those at hand.
    """
    for source in sources:
        if isinstance(source, StelaError):
            yield source
            continue
        try:
            with opened(source.path) as stream:
                reader = _reader_of(stream, source, column, note, readers)
                log.info("%s is read as %s", source.name, reader.called)
                try:
                    with contained:
                        items = iter(reader.texts(stream, source.name, column, note))
                    count = size = 0
                    while (item := _next(items)) is not None:
                        count, size = count + 1, size + (len(item.text) if isinstance(item, Text) else 0)
                        if count > MAX_SHORT_TEXTS and size < count * SHORT_CHARACTERS:
                            raise StelaError(
                                f"{source.name} has more than {MAX_SHORT_TEXTS:,} texts, of fewer than "
                                f"{SHORT_CHARACTERS} characters on average; the others are not tested.",
                                "split the file, if you mean it: so short a text shows no mark",
                            )
                        yield _checked(_with_command(item, source, stream))
                except NotUtf8Error as error:
                    yield _with_command(error, source, stream)
        except StelaError as error:
            yield error


@contained
def _next(items: Iterator[Text | StelaError]) -> Text | StelaError | None:
    return next(items, None)


@contained
def _reader_of(stream: Stream, source: Source, column: str, note: Note, readers: Readers) -> type[Reader]:
    """What reads the source: as asked, by its name, or by its beginning."""
    name, named = source.name, source.reader
    if source.asked and named is not None:
        return named
    if named is None:
        seen = sniff(stream, name, column, readers)
        if source.path == "-" or seen is not PlainText:
            note(f"{name} is taken for {seen.called}; --format names another kind")
        seen.require()
        return seen
    if named is PlainText:
        seen = sniff(stream, name, column, readers)
        if seen is not PlainText:
            note(
                f"{name} looks like {seen.called} and is tested as plain text; "
                f"--format {seen.format} reads it so"
            )
        return named
    for other in readers.all:
        if named.format in other.misnamed and other.takes(stream, name, column):
            note(f"{name} is taken for {other.called}; --format names another kind")
            return other
    return named


def sniff(stream: Stream, name: str, column: str, readers: Readers) -> type[Reader]:
    """The reader of a stream without a name, of which nothing is consumed; in doubt it is plain text.

    Raises:
        StelaError: it is not text and no document that can be read.
    """
    return next(reader for reader in readers.all if reader.takes(stream, name, column))


def _with_command(item: Text | StelaError, source: Source, stream: Stream) -> Text | StelaError:
    """What is not UTF-8, with a command that converts the file."""
    if isinstance(item, NotUtf8Error) and (hint := lent("hint_to_convert")):
        item.hint = hint(item.data, source.path, stream.beginning) or item.hint
    return item


def _checked(item: Text | StelaError) -> Text | StelaError:
    """What is too long, and half of a character, which JSON can hold, is not text that can be tested."""
    if isinstance(item, StelaError):
        return item
    if len(item.text) > CHARACTERS:
        return StelaError(f"{item.source} has more than {CHARACTERS:,} characters.", TOO_LONG)
    try:
        require_well_formed([item.text], item.source)
    except StelaError as error:
        return StelaError(error.message, "correct this text or leave it out; the others are tested")
    return item
