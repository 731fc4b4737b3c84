"""transformers ``lefthash``, lm-watermarking ``simple_1``: the key times the last id seeds the list."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from pydantic import Field

from stela_interop.randperm import MODULUS, RandpermHasher, RandpermParameters


class LefthashParameters(RandpermParameters):
    """A list of no context would have no seed."""

    context_width: int = Field(1, ge=1, le=8)
    """Ids of the text before a token, without which the toolkit does not score it; the last one seeds."""


class Lefthash(RandpermHasher):
    """``manual_seed(key * last_id % (2**64 - 1))``.

    Only the last id seeds, however wide the context; but the first ``context_width`` ids of a text have
    no context, as in transformers.
    """

    name = "interop-lefthash"
    Parameters = LefthashParameters

    def seeds(self, contexts: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Seeds of the generator, (n, context_width) -> (n,)."""
        last, inverse = np.unique(contexts[:, -1], return_inverse=True)
        # Whole numbers of any length: a key of 64 bits times an id is longer than an array's integers.
        products = [self.key * token % MODULUS for token in last.tolist()]
        return np.array(products, dtype=np.uint64)[inverse.reshape(-1)]
