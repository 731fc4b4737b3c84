"""Tagger: text to part-of-speech tags with character spans."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, NamedTuple, cast

from stela_core.errors import StelaError
from stela_core.interfaces.component import Component
from stela_core.parameters import P_co


class Tag(NamedTuple):
    """One tagged word or morpheme, ``text[start:end]`` (in characters)."""

    tag: str
    start: int
    end: int


class Tagger(Component, Generic[P_co]):
    r"""Cut a text into words (or morphemes) and give each its part of speech.

    A tagger is *pure*: the same text gets the same tags, in any batch and order, from any
    thread. :class:`stela_testing.TaggerContract` checks this; subclass it in your tests.

    Importing a plugin must import no heavy library: do that in ``__init__``.

    Anybody may have made a profile. It may name a model that :meth:`accepts_from_profile` knows, and no
    other; a tagger that reads files of the user's choice says in :meth:`fingerprint_of` what their bytes
    come to, so that they are compared before anything in them is loaded.

    Copy me::

        import re
        import stela_core as stela

        class Shouting(stela.Tagger):
            name, language, tagset = "shouting", "en", "case"
            model, version = "none", "1"

            def tag(self, texts):
                stela.require_well_formed(texts)
                return [
                    [stela.Tag("UP" if m.group().isupper() else "LOW", *m.span())
                     for m in re.finditer(r"\S+", text)]
                    for text in texts
                ]

        @stela.hookimpl
        def stela_register_taggers():
            return Shouting
    """

    kind = "tagger"
    hook = "stela_register_taggers"

    default_for: ClassVar[Mapping[str, str | None]] = {}
    """Languages, by ISO 639-1 code, whose new profiles have this tagger where the user names none. Each has
    the model that is taken, ``None`` for a tagger with one model."""

    def __init__(self, parameters: P_co | None = None) -> None:
        self.parameters: P_co = parameters or cast("P_co", self.Parameters())

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """Whether a profile may name this model; by default the one that is used where none is named.

        True only for names that are known in advance, such as those a library publishes: never for a
        folder, a file or an address. A name that this accepts is never looked for as a folder.
        """
        field = cls.Parameters.model_fields.get("model")
        return field is None or bool(model == field.get_default(call_default_factory=True))

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str | None:
        """The :attr:`fingerprint` of a tagger with these parameters, only from bytes and versions.

        Nothing is loaded or run. ``None`` where it cannot be told: never for a folder or a file.

        Args:
            parameters: of the class's own type.

        Raises:
            StelaError: there is no such model.
        """
        return None

    # Set on the class, or in __init__ where they depend on the model.

    language: str
    """ISO 639-1 code of the language, or ``mul`` for several."""

    tagset: str
    """Name of the tag set, such as ``Penn Treebank``."""

    unit: Literal["word", "character"] = "word"
    """What a window counts: words parted by white space, or characters (Chinese)."""

    window: int = 8
    """How many units before a token are tagged to find its context, by default (W)."""

    k: int = 2
    """Length of the n-grams, by default: a context is the k - 1 preceding tags (paper, section 4)."""

    @property
    @abstractmethod
    def model(self) -> str:
        """Name of the model behind the tags, as a user would name it to get the same one."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Version of the library and the model, for people to read."""

    @property
    def fingerprint(self) -> str:
        """Short hash of everything the tags depend on; detection refuses a tagger with another one."""
        from stela_core.files.fingerprint import short_hash

        return short_hash(type(self).name, self.tagset, self.model, self.version)

    @abstractmethod
    def tag(self, texts: Sequence[str]) -> list[list[Tag]]:
        """Tags of each text, in the order of the text; start positions never decrease.

        White space has no tag. Refuse lone surrogates with :func:`stela_core.require_well_formed`.
        """

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, fewer where it has fewer.

        Override it where a faster way gives the same tags: this is called once per generated token.
        """
        if count == 0:
            return [()] * len(texts)
        return [tuple(tag.tag for tag in tags[-count:]) for tags in self.tag(texts)]

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of ``text[start:end]`` for each of the spans of each text.

        Detection asks for them, which needs the tags before every token: spans overlap, and end within words.
        Override it if they can share work and still get exactly the tags of :meth:`last_tags`;
        :class:`stela_testing.TaggerContract` compares the two.

        Args:
            texts: any texts.
            spans: of each text, in characters; ``0 <= start <= end <= len(text)``.
            count: tags of a span at most.
        """
        windows = [[text[start:end] for start, end in each] for text, each in zip(texts, spans, strict=True)]
        distinct = list(dict.fromkeys(chain.from_iterable(windows)))
        tags = dict(zip(distinct, self.last_tags(distinct, count), strict=True))
        return [[tags[window] for window in each] for each in windows]

    def portable(self) -> bytes | None:
        """All that a reader in another language needs to give the same tags, in one file; or ``None``.

        It names the tagger, its model and its :attr:`fingerprint`. A page that detects in a browser holds it.
        """
        return None

    def tables(self) -> dict[int, Path]:
        """The indeterminacy tables shipped for this tagger, by k; ``shipped_tables`` lists them too."""
        return {}


def require_well_formed(texts: Sequence[str], what: str = "a text") -> None:
    """Check that texts can be written as UTF-8; call it first in ``tag`` and ``last_tags``.

    Libraries differ on lone surrogates (half of a character cut in two by UTF-16 software): some
    raise, some give a tag, some crash.

    Raises:
        StelaError: a text holds a lone surrogate.
    """
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise StelaError(
                    f"{what} is not well-formed unicode: lone surrogate at character {error.start}.",
                    'read the file with errors="strict" or errors="replace"',
                ) from None
