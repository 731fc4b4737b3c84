"""What the attacks have in common: each text is changed by itself, with separate draws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import stela_run
from pydantic import Field
from stela_run.text_rng import draws_of

import stela_core as stela


class ShareParameters(stela.Parameters):
    """How much is changed."""

    share: float = Field(0.1, ge=0, le=1)
    """Share of the words that are changed; the number of words it makes is rounded."""


P = TypeVar("P", bound=stela.Parameters)


class EachText(stela_run.Attack[P]):
    """Base: :meth:`change` sees one text, its generator and the circumstances."""

    def apply(self, texts: Sequence[str], circumstances: stela_run.Circumstances) -> list[str]:
        """The changed texts."""
        return [
            self.change(text, draws_of(circumstances.seed, text, self.name), circumstances) for text in texts
        ]

    @abstractmethod
    def change(self, text: str, draws: np.random.Generator, circumstances: stela_run.Circumstances) -> str:
        """One changed text."""
