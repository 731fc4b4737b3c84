"""The tagger class of a language with a causal model and models of another library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import stela_core as stela
from stela_causal.tagger import CausalTagger

CAUSAL = "causal"
"""The name of the model that looks left only."""


class ModelsTagger(stela.Tagger[Any]):
    """A tagger that hands all it is asked to the class of its model.

    A subclass sets what any tagger sets, and a class of parameters with ``model``.

    Raises, when constructed: what the class of the model raises.
    """

    causal: ClassVar[type[CausalTagger]]
    """The class of the model ``causal``."""
    other: ClassVar[type[stela.Tagger[Any]]]
    """The class of all other models, which takes the parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__(parameters)
        is_causal = self.parameters.model == CAUSAL
        self.used: stela.Tagger[Any] = self.causal() if is_causal else self.other(self.parameters)
        """The tagger of the model, which gives the tags."""

    @classmethod
    def status(cls) -> stela.Status:
        """Whether what the other models need is installed."""
        return cls.other.status()

    @classmethod
    def accepts_from_profile(cls, model: str) -> bool:
        """The causal model, and those that the other class accepts."""
        return model == CAUSAL or cls.other.accepts_from_profile(model)

    @classmethod
    def fingerprint_of(cls, parameters: Any) -> str | None:
        """The :attr:`fingerprint`, before anything of the model is loaded."""
        return (cls.causal if parameters.model == CAUSAL else cls.other).fingerprint_of(parameters)

    @classmethod
    def shipped_tables(cls) -> Sequence[Path]:
        """The tables that come along."""
        return [*cls.other.shipped_tables(), *cls.causal.shipped_tables()]

    def tables(self) -> dict[int, Path]:
        """The tables that come along for the model's tags, by k."""
        return self.used.tables()

    @property
    def fingerprint(self) -> str:
        """Hash of the model's files or versions and of what makes tags of them."""
        return self.used.fingerprint

    @property
    def version(self) -> str:
        """Versions of what tags."""
        return self.used.version

    @property
    def model(self) -> str:
        """The model as the user named it."""
        return str(self.parameters.model)

    def tag(self, texts: Sequence[str]) -> list[list[stela.Tag]]:
        """Tags of each text, by the model's class."""
        return self.used.tag(texts)

    def last_tags(self, texts: Sequence[str], count: int) -> list[tuple[str, ...]]:
        """The last ``count`` tags of each text."""
        return self.used.last_tags(texts, count)

    def last_tags_within(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]], count: int
    ) -> list[list[tuple[str, ...]]]:
        """The last ``count`` tags of windows; the causal model computes each character of a text once."""
        return self.used.last_tags_within(texts, spans, count)

    def portable(self) -> bytes | None:
        """What the causal model knows and its weights, in a file; ``None`` for other models."""
        return self.used.portable()
