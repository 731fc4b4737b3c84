"""Sejong: Kiwi's analysis as tags with spans."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

import stela_core as stela
from stela_core.api import folder_hash, short_hash

if TYPE_CHECKING:
    from kiwipiepy import Kiwi, Token

    from stela_sejong.causal_fast import CausalMorphemes

HERE = Path(__file__).parent

OPTIONS: dict[str, Any] = {"integrate_allomorph": True, "load_multi_dict": False}
"""How Kiwi is constructed. Without the dictionary of names of several words it loads in half the time;
0.4 % of contexts change, and no tag spans words that a window may cut apart."""

MODELS = frozenset({"none", "largest", "knlm", "sbg", "cong", "cong-global"})
"""Kiwi's names; which of them are there depends on the package of models."""

NORMALISATION = "tag up to the first hyphen"
"""Part of the fingerprint: what :func:`sejong_tag` does."""

LONGEST_RUN = 4_096
"""Characters without white space that Kiwi is handed at once: its time for a run is that of its square. No
window that a profile may have is as long."""
TOO_LONG = re.compile(rf"\S{{{LONGEST_RUN}}}(?=\S)")

CAUSAL = "causal"
"""The model that comes along and needs no Kiwi."""
CAUSAL_TAGS = "causal 1"
"""What makes tags of its files: changes when the arithmetic or the features do."""


class SejongParameters(stela.Parameters):
    """Choice of the model, and how many threads Kiwi runs on."""

    model: str = "cong"
    """Kiwi's name of a model; ``kiwipiepy_model`` 0.24 holds only ``cong``. Or ``causal``, which comes
    along, was taught by Kiwi and looks left only."""

    threads: int = Field(default_factory=lambda: min(8, os.cpu_count() or 1), ge=1, le=256)
    """Threads of Kiwi that share the texts of one call; the tags do not depend on it."""


class Sejong(stela.Tagger[SejongParameters]):
    """Korean morphemes with the Sejong tags of Kiwi (kiwipiepy), or of a network that Kiwi taught.

    The tags are Kiwi's, less the mark of regular and irregular conjugation (``VV-I`` and ``VV-R``
    become ``VV``). Its finer tags are kept: ``SSO`` and ``SSC`` for opening and closing brackets and
    quotes (Sejong has one ``SS``), ``SB`` for list marks, ``W_URL``, ``W_EMAIL``, ``W_HASHTAG``,
    ``W_MENTION``, ``W_SERIAL`` and ``W_EMOJI``, ``Z_CODA`` and ``Z_SIOT``: what may follow an opening
    bracket is not what may follow a closing one.
    """

    name = "sejong"
    language = "ko"
    default_for: ClassVar[Mapping[str, str | None]] = {"ko": CAUSAL}
    tagset = "Sejong"
    unit = "word"
    window = 5
    k = 4

    def __init__(self, parameters: SejongParameters | None = None) -> None:
        """Load Kiwi, or the causal model.

        Raises:
            MissingLibraryError: kiwipiepy or its model is not installed; for the causal model, numba.
            StelaError: Kiwi has no such model.
        """
        super().__init__(parameters)
        self._causal: CausalMorphemes | None = None
        if self.parameters.model == CAUSAL:
            self._causal = _load_causal()
            return
        status = self.status()
        if not status.ok:
            raise stela.MissingLibraryError("kiwipiepy", 'tagger "sejong"', "kiwipiepy")
        try:
            self._kiwi = _load_kiwi(self.parameters.model, self.parameters.threads)
        except Exception as error:  # the library raises bare Exception
            raise stela.StelaError(
                f'Kiwi cannot load model "{self.parameters.model}": {error}',
                'write "sejong", its model is cong',
            ) from None

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """Kiwi's own names of models, of which it takes no other, and the one that comes along."""
        return model in MODELS or model == CAUSAL

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`: it depends only on versions, or on the causal model's files."""
        if parameters.model == CAUSAL:
            return short_hash(cls.name, cls.tagset, CAUSAL_TAGS, _hash_of_causal())
        options = [f"{name}={value}" for name, value in sorted(OPTIONS.items())]
        return short_hash(cls.name, cls.tagset, parameters.model, versions(), *options, NORMALISATION)

    @classmethod
    def status(cls) -> stela.Status:
        """Whether kiwipiepy and its model are installed, which the default needs."""
        installed = find_spec("kiwipiepy") is not None and find_spec("kiwipiepy_model") is not None
        return stela.Status() if installed else stela.Status(False, "pip install kiwipiepy")

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return self.parameters.model

    @property
    def version(self) -> str:
        """Versions of Kiwi and of its model; of this package, whose causal model comes along."""
        return versions() if self._causal is None else f"stela-sejong {version('stela-sejong')}"

    @property
    def fingerprint(self) -> str:
        """Hash of model, versions, options and the rule for tags; of the causal model's files."""
        return self.fingerprint_of(self.parameters)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Morphemes in the order of the text; those merged into one syllable share its span."""
        if self._causal is not None:
            stela.require_well_formed(texts)
            return self._causal.tag(texts)
        cut = [pieces(text) for text in texts]
        analysed = self._analyse([piece for each in cut for _, piece in each])
        return [
            [
                tag
                for (offset, _), tokens in zip(each, islice(analysed, len(each)), strict=True)
                for tag in spans(tokens, offset)
            ]
            for each in cut
        ]

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text, without working out spans."""
        if count == 0:
            return [()] * len(texts)
        if self._causal is not None:
            stela.require_well_formed(texts)
            return self._causal.last_tags(texts, count)
        if any(len(text) > LONGEST_RUN for text in texts):
            return super().last_tags(texts, count)
        return [tuple([sejong_tag(t.tag) for t in tokens[-count:]]) for tokens in self._analyse(texts)]

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; the causal model computes each character of a text once."""
        if count == 0 or self._causal is None:
            return super().last_tags_within(texts, spans, count)
        stela.require_well_formed(texts)
        return self._causal.last_tags_within(texts, spans, count)

    def _analyse(self, texts: Sequence[str]) -> Iterator[list[Token]]:
        stela.require_well_formed(texts)
        if len(texts) == 1:
            yield self._kiwi.tokenize(texts[0])  # no hand-over to a thread
        else:
            yield from self._kiwi.tokenize(list(texts))

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return [file for folder in ("tables", "causal-tables") for file in _tables_in(folder).values()]

    def tables(self) -> dict[int, Path]:
        """The shipped tables of Wikipedia and petitions, by k: of Kiwi's tags, or the causal model's."""
        return _tables_in("tables" if self._causal is None else "causal-tables")


def _tables_in(folder: str) -> dict[int, Path]:
    return {int(file.stem[1:]): file for file in sorted((HERE / folder).glob("k[0-9].json"))}


@cache
def _hash_of_causal() -> str:
    return folder_hash(HERE / "causal")


@cache
def _load_kiwi(model: str, threads: int) -> Kiwi:
    # Loading takes a second and 200 MB; its answers depend on nothing that was asked before.
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=threads, model_type=model, **OPTIONS)
    kiwi.tokenize("")  # Kiwi loads its model on the first call
    return kiwi


def _load_causal() -> CausalMorphemes:
    if find_spec("numba") is None:
        raise stela.MissingLibraryError("numba", 'tagger "sejong:causal"', "numba")
    from stela_sejong.causal_fast import CausalMorphemes
    from stela_sejong.causal_files import read_model

    return CausalMorphemes(read_model(HERE / "causal"))


def versions() -> str:
    """Versions of Kiwi and of its model."""
    return f"kiwipiepy {version('kiwipiepy')}, model {version('kiwipiepy_model')}"


def sejong_tag(tag: str) -> str:
    """Kiwi's tag without the mark of (ir)regular conjugation: ``VV-I`` to ``VV``."""
    return tag.partition("-")[0]


def pieces(text: str) -> list[tuple[int, str]]:
    """``text`` as (offset, piece); cut after each ``LONGEST_RUN`` characters of a run, mostly not at all."""
    cuts = [0, *(match.end() for match in TOO_LONG.finditer(text)), len(text)]
    return [(start, text[start:end]) for start, end in pairwise(cuts)]


def spans(tokens: Iterable[Token], offset: int = 0) -> list[stela.Tag]:
    """Tokens to tags whose start positions never decrease.

    Kiwi counts in characters. A contraction (``하시어요`` written ``하세요``) may give a morpheme an
    earlier start than the one before it; it then begins where that one does.
    """
    tags: list[stela.Tag] = []
    start = end = offset
    for token in tokens:
        start = max(start, offset + token.start)
        end = max(start, offset + token.start + token.len)
        tags.append(stela.Tag(sejong_tag(token.tag), start, end))
    return tags
