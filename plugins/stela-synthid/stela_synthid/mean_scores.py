"""The scores of synthid-text's own detectors, to be put next to ours: they come without a p-value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_synthid.layer_weights import layer_weights


def new_contexts(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Whether no position before had the same context's hash, (n,) -> (n,).

    Theirs forgets a context after ``context_history_size`` (1,024) positions, this does not.
    """
    new = np.zeros(len(hashes), dtype=np.bool_)
    new[np.unique(hashes, return_index=True)[1]] = True
    return new


def mean_scores(bits: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> dict[str, float]:
    """``mean_score`` and ``weighted_mean_score``; empty where no token is left.

    Args:
        bits: g-values, (n, depth).
        mask: whether a token counts, (n,).
    """
    if not mask.any():
        return {}
    means = bits[mask].mean(axis=0)
    return {
        "SynthID mean score": float(means @ layer_weights("mean", len(means))),
        "SynthID weighted mean score": float(means @ layer_weights("weighted", len(means))),
    }
