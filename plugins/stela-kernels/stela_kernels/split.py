"""The vocabulary split for each row of a step: the green ids' mass is read before the bias is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stela_kernels import fused_bias
from stela_kernels.arrays import to_device

if TYPE_CHECKING:
    import torch


class MaskSplit:
    """A split by a mask of green ids (rows, vocab_size): torch operations, any device and type."""

    def __init__(self, scores: torch.Tensor, mask: torch.Tensor) -> None:
        self._scores = scores
        self._mask = mask

    @property
    def green_mass(self) -> npt.NDArray[np.float64]:
        """Probability of the green ids in each row, (rows,), each row on its own."""
        import torch

        scores, mask = self._scores.float(), self._mask
        # Sums over a vocabulary are off by some 1e-6 in float32; Apple's GPUs have no float64.
        wide = torch.float32 if scores.device.type == "mps" else torch.float64
        shares = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        green = (shares[:, : mask.shape[1]] * mask).sum(dim=-1, dtype=wide)
        mass = green / shares.sum(dim=-1, dtype=wide)
        array: npt.NDArray[np.float64] = mass.cpu().double().numpy()
        return array

    def add_bias(self, biases: Sequence[float]) -> torch.Tensor:
        """New scores; in 16-bit types the sum is made in float32 and rounded once."""
        import torch

        scores, mask = self._scores, self._mask
        out = scores.clone()
        old = scores[:, : mask.shape[1]]
        shifts = to_device(np.asarray(biases, dtype=np.float32), scores.device)[:, None]
        out[:, : mask.shape[1]] = torch.where(mask, old + shifts, old)
        return out


class FusedSplit:
    """The split of ``mixing.py`` by fused passes, for scores such that ``fused_bias.suits``."""

    def __init__(
        self, scores: torch.Tensor, seeds: npt.NDArray[np.uint64], vocab_size: int, gamma: float
    ) -> None:
        from stela_kernels import fused_rows

        self._scores = scores.numpy()
        self._vocab_size = vocab_size
        self._mask: npt.NDArray[np.float32] | None = fused_bias.BUFFERS.take(tuple(scores.shape))
        self.green_mass = fused_rows.split(self._scores, seeds, vocab_size, gamma, self._mask)

    def add_bias(self, biases: Sequence[float]) -> torch.Tensor:
        """New scores, in the memory that held the mask."""
        import torch

        from stela_kernels import fused_rows

        out, self._mask = self._mask, None
        assert out is not None, "add_bias is called once"
        shifts = np.asarray(biases, dtype=np.float32)
        fused_rows.apply(self._scores, out, shifts, self._vocab_size)
        return torch.from_numpy(out)
