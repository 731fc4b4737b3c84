"""The tagger ``sejong``: Kiwi, or the network that Kiwi taught."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar

from pydantic import Field
from stela_causal.models import CAUSAL, ModelsTagger
from stela_causal.tagger import CausalTagger

import stela_core as stela
from stela_sejong.kiwi import CONG, KiwiTagger


class SejongParameters(stela.Parameters):
    """Choice of the model, and how many threads Kiwi runs on."""

    model: str = CONG
    """Kiwi's name of a model; ``kiwipiepy_model`` 0.24 holds only ``cong``. Or ``causal``, which comes
    along, was taught by Kiwi and looks left only."""

    threads: int = Field(default_factory=lambda: min(8, os.cpu_count() or 1), ge=1, le=256)
    """Threads of Kiwi that share the texts of one call; the tags do not depend on it."""


class CausalSejong(CausalTagger):
    """The network of ``sejong:causal``, which :class:`Sejong` asks."""

    name, language = "sejong", "ko"
    default_for: ClassVar[Mapping[str, str | None]] = {}
    tagset = "Sejong"
    window = 5
    model = CAUSAL
    licence = "CC BY-SA 3.0"
    folder = Path(__file__).parent / "causal"
    earlier: ClassVar[Mapping[str, str]] = {"08fd2039aaed57c1": "88975a8ba54e840e"}

    @property
    def version(self) -> str:
        """Version of this package, whose model comes along."""
        return f"stela-sejong {version('stela-sejong')}"


class Sejong(ModelsTagger):
    """Korean morphemes with the Sejong tags of Kiwi (kiwipiepy), or of a network that Kiwi taught.

    The tags are Kiwi's, less the mark of regular and irregular conjugation (``VV-I`` and ``VV-R``
    become ``VV``). Its finer tags are kept: ``SSO`` and ``SSC`` for opening and closing brackets and
    quotes (Sejong has one ``SS``), ``SB`` for list marks, ``W_URL``, ``W_EMAIL``, ``W_HASHTAG``,
    ``W_MENTION``, ``W_SERIAL`` and ``W_EMOJI``, ``Z_CODA`` and ``Z_SIOT``: what may follow an opening
    bracket is not what may follow a closing one.

    Raises, when constructed:
        MissingLibraryError: kiwipiepy or its model is not installed; for the causal model, numba.
        StelaError: Kiwi has no such model.
    """

    Parameters = SejongParameters
    name = "sejong"
    language = "ko"
    default_for: ClassVar[Mapping[str, str | None]] = {"ko": CAUSAL}
    tagset = "Sejong"
    unit = "word"
    window = 5
    k = 4
    causal, other = CausalSejong, KiwiTagger
