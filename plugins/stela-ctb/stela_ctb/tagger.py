"""The tagger ``ctb``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

import stela_core as stela
from stela_core.api import short_hash
from stela_ctb.names import CAUSAL, SHIPPED, is_published

if TYPE_CHECKING:
    from stela_ctb.causal_fast import CausalPair
    from stela_ctb.fast import FastPair
    from stela_ctb.plain import PlainPair

HERE = Path(__file__).parent
NEEDS = ("hanlp", "numba", "torch")
PIP = '"hanlp>=2.1.5,<3" "numba>=0.60"'


class CtbParameters(stela.Parameters):
    """Which pair of HanLP models tags."""

    model: str = SHIPPED
    """``shipped``; ``causal``, which comes along as well and looks left only; a tagger of
    ``hanlp.pretrained.pos`` (``CTB9_POS_ELECTRA_SMALL``) that was downloaded,
    with HanLP's coarse tokenizer or, as ``FINE_ELECTRA_SMALL_ZH+CTB9_POS_ELECTRA_SMALL``, another; or a
    folder with a tokenizer in ``tok`` and a tagger in ``pos``.

    From a profile: ``shipped``, ``causal``, and the names of :mod:`stela_ctb.names`."""

    threads: int | None = Field(default=None, ge=1, le=256)
    """Threads of torch while a model of the user's tags; torch's own setting where not given. The shipped
    models need neither: they run on one thread, whatever torch does otherwise."""


class Ctb(stela.Tagger[CtbParameters]):
    """Words of Chinese text with the tags of the Penn Chinese Treebank, by two models of HanLP.

    Raises, when constructed:
        MissingLibraryError: HanLP, torch or numba is not installed.
        StelaError: there is no such model, a file of it is missing, or it cannot be loaded.
    """

    name = "ctb"
    language = "zh"
    default_for: ClassVar[Mapping[str, str | None]] = {"zh": CAUSAL}
    tagset = "Penn Chinese Treebank"
    unit = "character"
    window = 20
    k = 4

    def __init__(self, parameters: CtbParameters | None = None) -> None:
        super().__init__(parameters)
        if not self.status().ok:
            missing = next(library for library in NEEDS if find_spec(library) is None)
            raise stela.MissingLibraryError(missing, 'tagger "ctb"', PIP)
        from stela_ctb.loading import find_folders, load_pair

        folders = find_folders(self.parameters.model, HERE)
        self._pair: FastPair | CausalPair | PlainPair = load_pair(folders, self.parameters.threads)

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The shipped models, and names that HanLP publishes."""
        return model in {SHIPPED, CAUSAL} or is_published(model)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str:
        """The :attr:`fingerprint`, before anything of the models is loaded."""
        from stela_ctb.loading import find_folders, parts_of_fingerprint

        folders = find_folders(parameters.model, HERE)
        return short_hash(cls.name, cls.tagset, *parts_of_fingerprint(folders))

    @classmethod
    def status(cls) -> stela.Status:
        """Whether HanLP, torch and numba are installed."""
        installed = all(find_spec(library) is not None for library in NEEDS)
        return stela.Status() if installed else stela.Status(False, f"pip install {PIP}")

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return self.parameters.model

    @property
    def version(self) -> str:
        """Versions of HanLP and of this package, whose models come along."""
        return f"hanlp {version('hanlp')}, stela-ctb {version('stela-ctb')}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the models' files and of what makes tags of them, wherever the folders are."""
        return self.fingerprint_of(self.parameters)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of the words of each text; a word never spans white space, which has no tag."""
        stela.require_well_formed(texts)
        return self._pair.tag(texts) if texts else []

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text; the shipped models tag no more than they must."""
        stela.require_well_formed(texts)
        if count == 0 or not texts:
            return [()] * len(texts)
        return self._pair.last_tags(texts, count)

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; the causal models compute each character of a text once."""
        from stela_ctb.causal_fast import CausalPair

        if count == 0 or not isinstance(self._pair, CausalPair):
            return super().last_tags_within(texts, spans, count)
        stela.require_well_formed(texts)
        return self._pair.last_tags_within(texts, spans, count)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return [file for folder in ("tables", "causal-tables") for file in _tables_in(folder).values()]

    def tables(self) -> dict[int, Path]:
        """The tables that come along, for the shipped models' tags or for the causal ones'."""
        return _tables_in("causal-tables" if self.parameters.model == CAUSAL else "tables")


def _tables_in(folder: str) -> dict[int, Path]:
    return {int(file.stem[1:]): file for file in sorted((HERE / folder).glob("k[0-9].json"))}
