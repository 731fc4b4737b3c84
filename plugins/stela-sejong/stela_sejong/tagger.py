"""Sejong: Kiwi's analysis as tags with spans."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

import stela_core as stela
from stela_core.api import short_hash

if TYPE_CHECKING:
    from kiwipiepy import Token

OPTIONS: dict[str, Any] = {"integrate_allomorph": True, "load_multi_dict": False}
"""How Kiwi is constructed. Without the dictionary of names of several words it loads in half the time;
0.4 % of contexts change, and no tag spans words that a window may cut apart."""

MODELS = frozenset({"none", "largest", "knlm", "sbg", "cong", "cong-global"})
"""Kiwi's names; which of them are there depends on the package of models."""

NORMALISATION = "tag up to the first hyphen"
"""Part of the fingerprint: what :func:`sejong_tag` does."""


class SejongParameters(stela.Parameters):
    """Choice of Kiwi's model, and how many threads it runs on."""

    model: str = "cong"
    """Kiwi's name of the model; ``kiwipiepy_model`` 0.24 holds ``cong`` alone."""

    threads: int = Field(default_factory=lambda: min(8, os.cpu_count() or 1), ge=1, le=256)
    """Threads that share the texts of one call; the tags do not depend on it."""


class Sejong(stela.Tagger[SejongParameters]):
    """Korean morphemes with the Sejong tags of Kiwi (kiwipiepy).

    The tags are Kiwi's, less the mark of regular and irregular conjugation (``VV-I`` and ``VV-R``
    become ``VV``). Its finer tags stay: ``SSO`` and ``SSC`` for opening and closing brackets and
    quotes (Sejong has one ``SS``), ``SB`` for list marks, ``W_URL``, ``W_EMAIL``, ``W_HASHTAG``,
    ``W_MENTION``, ``W_SERIAL`` and ``W_EMOJI``, ``Z_CODA`` and ``Z_SIOT``: what may follow an opening
    bracket is not what may follow a closing one.
    """

    name = "sejong"
    language = "ko"
    tagset = "Sejong"
    unit = "word"
    window = 5
    k = 4

    def __init__(self, parameters: SejongParameters | None = None) -> None:
        """Load Kiwi.

        Raises:
            MissingLibraryError: kiwipiepy or its model is not installed.
            StelaError: Kiwi has no such model.
        """
        status = self.status()
        if not status.ok:
            raise stela.MissingLibraryError("kiwipiepy", 'tagger "sejong"', "kiwipiepy")
        from kiwipiepy import Kiwi

        super().__init__(parameters)
        try:
            self._kiwi = Kiwi(
                num_workers=self.parameters.threads, model_type=self.parameters.model, **OPTIONS
            )
            self._kiwi.tokenize("")  # Kiwi loads its model on the first call
        except Exception as error:  # the library raises bare Exception
            raise stela.StelaError(
                f'Kiwi cannot load model "{self.parameters.model}": {error}',
                'write "sejong", its model is cong',
            ) from None

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """Kiwi's own names of models: it takes no other."""
        return model in MODELS

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """As :attr:`fingerprint`: it depends on versions alone."""
        options = [f"{name}={value}" for name, value in sorted(OPTIONS.items())]
        return short_hash(cls.name, cls.tagset, parameters.model, versions(), *options, NORMALISATION)

    @classmethod
    def status(cls) -> stela.Status:
        """Whether kiwipiepy and its model are installed."""
        installed = find_spec("kiwipiepy") is not None and find_spec("kiwipiepy_model") is not None
        return stela.Status() if installed else stela.Status(False, "pip install kiwipiepy")

    @property
    def model(self) -> str:
        """Kiwi's name of the model."""
        return self.parameters.model

    @property
    def version(self) -> str:
        """Versions of Kiwi and of its model."""
        return versions()

    @property
    def fingerprint(self) -> str:
        """Hash of model, versions, options and the rule for tags."""
        return self.fingerprint_of(self.parameters)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Morphemes in Kiwi's order; those merged into one syllable share its span."""
        return [spans(tokens) for tokens in self._analyse(texts)]

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, without working out spans."""
        if count == 0:
            return [()] * len(texts)
        return [tuple([sejong_tag(t.tag) for t in tokens[-count:]]) for tokens in self._analyse(texts)]

    def _analyse(self, texts: Sequence[str]) -> Iterator[list[Token]]:
        stela.require_well_formed(texts)
        if len(texts) == 1:
            yield self._kiwi.tokenize(texts[0])  # no hand-over to a thread
        else:
            yield from self._kiwi.tokenize(list(texts))

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return sorted((Path(__file__).parent / "tables").glob("k[0-9].json"))

    def tables(self) -> dict[int, Path]:
        """The shipped tables of Korean Wikipedia and petitions, by k."""
        folder = Path(__file__).parent / "tables"
        files = {k: folder / f"k{k}.json" for k in (2, 3, 4)}
        return {k: path for k, path in files.items() if path.is_file()}


def versions() -> str:
    """Versions of Kiwi and of its model."""
    return f"kiwipiepy {version('kiwipiepy')}, model {version('kiwipiepy_model')}"


def sejong_tag(tag: str) -> str:
    """Kiwi's tag without the mark of (ir)regular conjugation: ``VV-I`` to ``VV``."""
    return tag.partition("-")[0]


def spans(tokens: Iterable[Token]) -> list[stela.Tag]:
    """Tokens to tags whose start positions never decrease.

    Kiwi counts in characters. A contraction (``하시어요`` written ``하세요``) may give a morpheme an
    earlier start than the one before it; it then begins where that one does.
    """
    tags: list[stela.Tag] = []
    start = end = 0
    for token in tokens:
        start = max(start, token.start)
        end = max(start, token.start + token.len)
        tags.append(stela.Tag(sejong_tag(token.tag), start, end))
    return tags
