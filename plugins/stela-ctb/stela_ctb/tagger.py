"""The tagger ``ctb``: HanLP, or a network that looks left only."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from stela_causal.models import CAUSAL, ModelsTagger
from stela_causal.tagger import CausalTagger

import stela_core as stela
from stela_ctb.hanlp_tagger import HanlpTagger
from stela_ctb.loading import SHIPPED


class CtbParameters(stela.Parameters):
    """Which pair of models tags."""

    model: str = SHIPPED
    """``shipped``; ``causal``, which comes along as well, looks left only and needs no HanLP; a tagger of
    ``hanlp.pretrained.pos`` (``CTB9_POS_ELECTRA_SMALL``) that was downloaded,
    with HanLP's coarse tokenizer or, as ``FINE_ELECTRA_SMALL_ZH+CTB9_POS_ELECTRA_SMALL``, another; or a
    folder with a tokenizer in ``tok`` and a tagger in ``pos``.

    From a profile: ``shipped``, ``causal``, and the names of :mod:`stela_ctb.loading`."""

    threads: int | None = Field(default=None, ge=1, le=256)
    """Threads of torch while a model but ``causal`` tags; torch's own setting where not given."""


class CausalCtb(CausalTagger):
    """The networks of ``ctb:causal``, which :class:`Ctb` asks."""

    name, language = "ctb", "zh"
    default_for: ClassVar[Mapping[str, str | None]] = {}
    tagset = "Penn Chinese Treebank"
    unit, window = "character", 20
    model = CAUSAL
    licence = "CC BY-SA 4.0"
    folder = Path(__file__).parent / "causal"
    earlier: ClassVar[Mapping[str, str]] = {"205a5a2030a74864": "fce54af94681c5d1"}

    @property
    def version(self) -> str:
        """Version of this package, whose model comes along."""
        return f"stela-ctb {version('stela-ctb')}"


class Ctb(ModelsTagger):
    """Words of Chinese text with the tags of the Penn Chinese Treebank, by HanLP or by a causal model.

    Raises, when constructed:
        MissingLibraryError: HanLP or torch is not installed; for the model ``causal``, numba is not.
        StelaError: there is no such model, a file of it is missing, or it cannot be loaded.
    """

    Parameters = CtbParameters
    name = "ctb"
    language = "zh"
    default_for: ClassVar[Mapping[str, str | None]] = {"zh": CAUSAL}
    tagset = "Penn Chinese Treebank"
    unit = "character"
    window = 20
    k = 4
    causal, other = CausalCtb, HanlpTagger
