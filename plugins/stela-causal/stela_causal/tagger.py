"""The tagger class that languages made by ``stela language new`` subclass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import stela_core as stela
from stela_core.api import folder_hash, short_hash

if TYPE_CHECKING:
    from stela_causal.words import CausalWords

P_co = TypeVar("P_co", bound=stela.Parameters, covariant=True)

ARITHMETIC = "causal words 1"
"""What makes tags of a model's files: changes when the arithmetic or the features do."""


class WithTables(stela.Tagger[P_co]):
    """A tagger whose tables come along; a subclass sets ``folder``."""

    folder: ClassVar[Path]
    """The folder that holds ``tables``, and a causal tagger's ``model``."""

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return sorted((cls.folder / "tables").glob("k[0-9].json"))

    def tables(self) -> dict[int, Path]:
        """The tables that come along, by k."""
        return {int(file.stem[1:]): file for file in self.shipped_tables()}


class CausalTagger(WithTables[stela.Parameters]):
    """Words of a text with universal tags, by a small network that looks left only.

    A subclass sets ``name``, ``language``, ``version`` and ``folder``, and ``unit`` and ``window`` where they
    are others.

    Raises, when constructed:
        MissingLibraryError: numba is not installed.
        StelaError: the model in ``folder`` is missing or damaged.
    """

    tagset = "Universal Dependencies"
    unit: Literal["word", "character"] = "word"
    window = 8
    k = 2
    model = "shipped"
    earlier: ClassVar[Mapping[str, str]] = {}
    """The fingerprint of files that were rewritten without a change of tags: the one they had before."""
    licence: ClassVar[str | None] = None
    """The model's licence, as a page says it; ``None``: that of the distribution which brings it."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "default_for" not in vars(cls) and "language" in vars(cls):
            cls.default_for = {cls.language: None}

    def __init__(self, parameters: stela.Parameters | None = None) -> None:
        super().__init__(parameters)
        if not self.status().ok:
            raise stela.MissingLibraryError("numba", f'tagger "{self.name}"', "numba")
        from stela_causal.word_files import read_model
        from stela_causal.words import CausalWords

        self._words: CausalWords = CausalWords(read_model(self.folder / "model"))
        self._fingerprint = self.fingerprint_of(self.parameters)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, before the model is loaded."""
        of_files = short_hash(cls.name, cls.tagset, ARITHMETIC, folder_hash(cls.folder / "model"))
        return cls.earlier.get(of_files, of_files)

    @classmethod
    def status(cls) -> stela.Status:
        """Whether numba is installed."""
        installed = find_spec("numba") is not None
        return stela.Status() if installed else stela.Status(False, "pip install numba")

    @property
    def fingerprint(self) -> str:
        """Hash of the model's files and of what makes tags of them, wherever the folder is."""
        return self._fingerprint

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text; a word never spans white space, which has no tag."""
        stela.require_well_formed(texts)
        return self._words.tag(texts)

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, without working out spans."""
        stela.require_well_formed(texts)
        return self._words.last_tags(texts, count) if count else [()] * len(texts)

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; each character of a text is computed once."""
        stela.require_well_formed(texts)
        if not count:
            return [[()] * len(each) for each in spans]
        return self._words.last_tags_within(texts, spans, count)

    def portable(self) -> bytes:
        """What the model knows and its weights, in a file."""
        from stela_causal.portable import licence_of, portable_tagger

        identity = {
            "name": self.name,
            "model": self.model,
            "version": self.version,
            "fingerprint": self.fingerprint,
            "unit": self.unit,
            "license": self.licence or licence_of(type(self).__module__),
        }
        return portable_tagger(identity, self.folder / "model")
