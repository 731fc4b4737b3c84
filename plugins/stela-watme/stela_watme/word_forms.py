"""Groups of words to groups of the token ids that are those words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stela_core.api import Vocabulary


def ids_of_words(groups: Iterable[Sequence[str]], tokens: Vocabulary) -> Iterator[list[int]]:
    """Ids of the words of each group and way to write them, where two or more are single tokens.

    Tokens of a cluster can stand in one place: those with a space before them are a separate cluster, and
    so are those with a capital first letter. A token is a word by its exact bytes; of equals the lowest id.
    """
    by_bytes: dict[bytes, int] = {}
    for index in range(len(tokens)):
        if tokens.is_text(index):
            by_bytes.setdefault(tokens[index], index)
    for words in groups:
        capitals = [word[:1].upper() + word[1:] for word in words]
        for spelled in (words, capitals) if capitals != list(words) else (words,):
            for space in ("", " "):
                written = (f"{space}{word}".encode("utf-8", "replace") for word in spelled)
                ids = [by_bytes[form] for form in written if form in by_bytes]
                if len(ids) > 1:
                    yield ids
