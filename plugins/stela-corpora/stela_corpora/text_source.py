"""TextSource: a short name for prompts and human text that a plugin brings."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from stela_core import Component


class TextSource(Component):
    """An alias that ``prompts`` and ``human`` of an experiment file take.

    Copy me::

        class Sample(stela_corpora.TextSource):
            name = "sample"

            @classmethod
            def location(cls, language):
                return Path(__file__).parent / f"{language}.jsonl"
    """

    kind = "corpus"
    hook = "stela_register_corpora"

    stands_in: ClassVar[bool] = False
    """Whether it stands in where an experiment is given no data: small, and nothing to conclude from."""

    @classmethod
    @abstractmethod
    def location(cls, language: str) -> Path:
        """JSON lines with a ``prompt`` and its human ``continuation`` each (plain, .gz, .xz or .zst).

        Raises:
            StelaError: it has no text of this language.
        """
