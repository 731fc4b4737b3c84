"""Preflight: what an attack or a metric may look for before a run begins."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path


class Preflight(ABC):
    """Look for what parameters name, cheaply; each method raises a ``StelaError`` where it is not there."""

    @abstractmethod
    def model(self, name: str, weights: bool = True) -> None:
        """A model by alias, folder or hub name, or only its tokenizer. It is not loaded."""

    @abstractmethod
    def tagger(self, spec: str) -> None:
        """A tagger, ``NAME`` or ``NAME:MODEL``."""

    @abstractmethod
    def device(self, name: str) -> None:
        """A torch device."""

    @abstractmethod
    def path(self, given: str) -> Path:
        """A file or a folder, relative to the experiment's data folder; where it is."""
