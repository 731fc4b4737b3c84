"""Kiwi's analysis as tags with spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stela_causal.tagger import WithTables

import stela_core as stela
from stela_core.api import short_hash

if TYPE_CHECKING:
    from kiwipiepy import Kiwi, Token


OPTIONS: dict[str, Any] = {"integrate_allomorph": True, "load_multi_dict": False}
"""How Kiwi is constructed. Without the dictionary of names of several words it loads in half the time;
0.4 % of contexts change, and no tag spans words that a window may cut apart."""

CONG = "cong"
MODELS = frozenset({"none", "largest", "knlm", "sbg", CONG, "cong-global"})
"""Kiwi's names; which of them are there depends on the package of models."""

NORMALISATION = "tag up to the first hyphen"
"""Part of the fingerprint: what :func:`sejong_tag` does."""

LONGEST_RUN = 4_096
"""Characters without white space that Kiwi is handed at once: its time for a run is that of its square. No
window that a profile may have is as long."""
TOO_LONG = re.compile(rf"\S{{{LONGEST_RUN}}}(?=\S)")


class KiwiTagger(WithTables[Any]):
    """Kiwi, which :class:`stela_sejong.Sejong` asks.

    Raises, when constructed:
        MissingLibraryError: kiwipiepy or its model is not installed.
        StelaError: Kiwi has no such model.
    """

    name, language, tagset = "sejong", "ko", "Sejong"
    folder = Path(__file__).parent

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters)
        if not self.status().ok:
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
        """Kiwi's own names of models, of which it takes no other."""
        return model in MODELS

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`: it depends only on versions."""
        options = [f"{name}={value}" for name, value in sorted(OPTIONS.items())]
        return short_hash(cls.name, cls.tagset, parameters.model, versions(), *options, NORMALISATION)

    @classmethod
    def status(cls) -> stela.Status:
        """Whether kiwipiepy and its model are installed."""
        installed = find_spec("kiwipiepy") is not None and find_spec("kiwipiepy_model") is not None
        return stela.Status() if installed else stela.Status(False, "pip install kiwipiepy")

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return str(self.parameters.model)

    @property
    def version(self) -> str:
        """Versions of Kiwi and of its model."""
        return versions()

    @property
    def fingerprint(self) -> str:
        """Hash of model, versions, options and the rule for tags."""
        return self.fingerprint_of(self.parameters)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Morphemes in the order of the text; those merged into one syllable share its span."""
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
        if any(len(text) > LONGEST_RUN for text in texts):
            return super().last_tags(texts, count)
        return [tuple([sejong_tag(t.tag) for t in tokens[-count:]]) for tokens in self._analyse(texts)]

    def _analyse(self, texts: Sequence[str]) -> Iterator[list[Token]]:
        stela.require_well_formed(texts)
        if len(texts) == 1:
            yield self._kiwi.tokenize(texts[0])  # no hand-over to a thread
        else:
            yield from self._kiwi.tokenize(list(texts))


@cache
def _load_kiwi(model: str, threads: int) -> Kiwi:
    # Loading takes a second and 200 MB; its answers depend on nothing that was asked before.
    from kiwipiepy import Kiwi

    kiwi = Kiwi(num_workers=threads, model_type=model, **OPTIONS)
    kiwi.tokenize("")  # Kiwi loads its model on the first call
    return kiwi


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
