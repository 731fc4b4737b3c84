"""Entropy and green mass of rows of logits in one pass on a GPU, by Triton: what SWEET and MorphMark read.

Sums are taken in float32 within a block of ids and in float64 across blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from stela_core.api import threshold
from stela_kernels.arrays import halves, to_device
from stela_kernels.triton.bias import BLOCK, add_bias


def entropies(scores: torch.Tensor) -> npt.NDArray[np.float64]:
    """Shannon entropies (nats) of ``softmax(scores)``, (rows, width) -> (rows,)."""
    from stela_kernels.triton.kernels import moment_block

    tops, totals, moments = (part := _partial_sums(scores))
    moment_block[part.shape[1:]](scores, *part, scores.shape[1], scores.stride(0), BLOCK=BLOCK)
    less, shares = _of_blocks(tops)
    total = (totals * shares).sum(-1)
    moment = torch.where(shares > 0, (moments + totals * less) * shares, 0.0).sum(-1)
    return _to_numpy(total.log() - moment / total)


def green_mass(
    scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int, gamma: float
) -> npt.NDArray[np.float64]:
    """Probability mass of each row's green ids, (rows,); arguments as for :func:`.add_bias`."""
    from stela_kernels.triton.kernels import mass_block

    low, high = (to_device(half.view(np.int32), scores.device) for half in halves(seeds))
    tops, totals, greens = (part := _partial_sums(scores))
    width, below = scores.shape[1], threshold(gamma)
    mass_block[part.shape[1:]](
        scores, *part, low, high, width, vocab_size, below, scores.stride(0), BLOCK=BLOCK
    )
    _, shares = _of_blocks(tops)
    return _to_numpy((greens * shares).sum(-1) / (totals * shares).sum(-1))


class TritonSplit:
    """The split of ``mixing.py`` without a mask: colours are mixed once more for the bias.

    Arguments as for :func:`.add_bias`.
    """

    def __init__(
        self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int, gamma: float
    ) -> None:
        self._of = scores, seeds
        self._with = vocab_size, gamma

    @property
    def green_mass(self) -> npt.NDArray[np.float64]:
        """Probability of the green ids in each row, (rows,)."""
        return green_mass(*self._of, *self._with)

    def add_bias(self, biases: Sequence[float]) -> torch.Tensor:
        """New scores with ``biases[r]`` added to row r's green ids."""
        return add_bias(*self._of, biases, *self._with)


def _partial_sums(scores: torch.Tensor) -> torch.Tensor:
    """Room for three numbers of each block of each row, (3, rows, blocks)."""
    rows, width = scores.shape
    return torch.empty((3, rows, -(-width // BLOCK)), dtype=torch.float32, device=scores.device)


def _of_blocks(tops: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Each block's largest logit less the row's, and the exponential of that, both float64."""
    tops = tops.double()
    less = tops - tops.amax(-1, keepdim=True)
    return less, less.exp()


def _to_numpy(values: torch.Tensor) -> npt.NDArray[np.float64]:
    array: npt.NDArray[np.float64] = values.cpu().numpy()
    return array
