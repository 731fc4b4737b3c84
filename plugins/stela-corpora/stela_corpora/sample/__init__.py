"""A small sample of prompts and human text: enough to see an experiment run, too little to conclude from.

And four samples of what keys are checked on: prose, code, tables and lists.
"""

from pathlib import Path

import stela_core as stela
from stela_core.api import did_you_mean
from stela_corpora import TextSource

TEXTS = Path(__file__).parent / "texts"
GENRES = Path(__file__).parent / "genres"


class Sample(TextSource):
    """The Universal Declaration of Human Rights: a paragraph as prompt, those after it as continuation."""

    name = "sample"
    stands_in = True

    @classmethod
    def location(cls, language: str) -> Path:
        """The rows of one language.

        Raises:
            stela.StelaError: there are none.
        """
        return of_language("shipped sample", TEXTS, "{}.jsonl", language)


class Prose(TextSource):
    """Python's documentation and its translations: a passage of a page each."""

    name = "sample-prose"

    @classmethod
    def location(cls, language: str) -> Path:
        """The documents of one language.

        Raises:
            stela.StelaError: there are none.
        """
        return of_language("shipped prose", GENRES, "prose-{}.jsonl.xz", language)


class Code(TextSource):
    """Python's standard library: a passage of a module each. The same for every language."""

    name = "sample-code"

    @classmethod
    def location(cls, language: str) -> Path:
        """The documents."""
        return GENRES / "code.jsonl.xz"


class Tables(TextSource):
    """Comma-separated values: facts, numbers, and records made up. The same for every language."""

    name = "sample-tables"

    @classmethod
    def location(cls, language: str) -> Path:
        """The documents."""
        return GENRES / "tables.jsonl.xz"


class Lists(TextSource):
    """Lists of names, dates and things to do, in the usual layouts. The same for every language."""

    name = "sample-lists"

    @classmethod
    def location(cls, language: str) -> Path:
        """The documents."""
        return GENRES / "lists.jsonl.xz"


def of_language(what: str, folder: Path, pattern: str, language: str) -> Path:
    """The file of a language, among those that there are.

    Raises:
        stela.StelaError: there is none.
    """
    before, after = pattern.split("{}")
    names = [file.name.removeprefix(before).removesuffix(after) for file in folder.glob(pattern.format("*"))]
    if language not in names:
        raise stela.StelaError(
            f'the {what} has no texts in "{language}".',
            f"{did_you_mean(language, sorted(names))} or give a file of JSON lines",
        )
    return folder / pattern.format(language)


@stela.hookimpl
def stela_register_corpora() -> list[type[TextSource]]:
    """Register the sources."""
    return [Sample, Prose, Code, Tables, Lists]
