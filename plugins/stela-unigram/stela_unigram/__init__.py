"""Unigram: one green list for all contexts (Zhao et al., "Provable Robust Watermarking", ICLR 2024)."""

import numpy as np
import numpy.typing as npt
from pydantic import Field

import stela_core as stela
from stela_core.api import KeyedHasher, seed_of


class UnigramParameters(stela.HasherParameters):
    """Parameters without a hash context."""

    context_width: int = Field(0, ge=0, le=0)
    """Width of the hash context: 0, so the first token of a text is scored too."""


class UnigramHasher(KeyedHasher):
    """The core's portable split under one seed, the keyed hash of the empty context.

    Equal tokens have equal colours everywhere: each distinct token is one coin.
    """

    name = "unigram"
    Parameters = UnigramParameters

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """The key's seed for every context, (n, 0) -> (n,)."""
        return np.full(len(contexts), seed_of(self.key, ()), dtype=np.uint64)


class Unigram(stela.Scheme):
    """A static bias on a fixed green list: robust to edits, and the easiest to learn from its texts."""

    name = "unigram"
    paper = "Zhao et al., ICLR 2024"
    hasher = "unigram"
    strength = "uniform"
    evidence = "uniform"


@stela.hookimpl
def stela_register_hashers() -> type[stela.Hasher]:
    """Register the hasher."""
    return UnigramHasher


@stela.hookimpl
def stela_register_schemes() -> type[stela.Scheme]:
    """Register the scheme."""
    return Unigram
