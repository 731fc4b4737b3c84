"""Reader: texts out of a kind of file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

from stela_cli.documents.stream import Stream
from stela_core import Component, StelaError


class Text(NamedTuple):
    """A text and where it came from.

    ``FILE``, ``FILE:LINE``, or ``FILE[N]`` of a JSON array; of a server's answer the choice, too, such as
    ``FILE:LINE (CUSTOM_ID) choices[0]``.
    """

    source: str
    text: str


Note = Callable[[str], None]
"""Function that is told, in one line, what part of a file is not tested."""


class Reader(Component):
    """A kind of file that ``stela detect`` reads.

    Copy me::

        class Subtitles(Reader):
            name = "my-srt"
            format = "srt"
            called = "subtitles"
            suffixes = (".srt",)

            @classmethod
            def texts(cls, stream, name, column, note):
                lines = decoded(whole(stream, name), name).splitlines()
                yield Text(name, " ".join(line for line in lines if line and not line[0].isdigit()))
    """

    kind = "reader"
    hook = "stela_register_readers"

    format: ClassVar[str]
    """What ``--format`` takes. A plugin's reader of one of stela-cli's formats takes its place: it is to read
    all that stela-cli's reads."""

    called: ClassVar[str]
    """What a message calls such a file: ``CSV``, ``a PDF document``."""

    suffixes: ClassVar[tuple[str, ...]]
    """Ends of file names, in lower case."""

    rank: ClassVar[int] = 0
    """Readers of a lower rank are asked first whether a beginning is theirs (:meth:`takes`)."""

    misnamed: ClassVar[tuple[str, ...]] = ()
    """Formats as whose files such ones are often named: there :meth:`takes` is asked, too."""

    @classmethod
    def require(cls) -> None:
        """Find out whether such files can be read here.

        Raises:
            MissingLibraryError: a library is missing.
        """

    @classmethod
    def takes(cls, stream: Stream, name: str, column: str) -> bool:
        """Whether a file whose name does not tell is of this kind, by its beginning (``stream.head``)."""
        return False

    @classmethod
    @abstractmethod
    def texts(cls, stream: Stream, name: str, column: str, note: Note) -> Iterator[Text | StelaError]:
        """The texts of a file, and in place of what cannot be read the error that says why.

        Args:
            stream: the file, which anybody may have made: read it with bounds.
            name: of it, for messages.
            column: field or column that holds the text, where the kind has such.
            note: is told what is left out.

        Raises:
            StelaError: the rest of the file cannot be read.
        """
