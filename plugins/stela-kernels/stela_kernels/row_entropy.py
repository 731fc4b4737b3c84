"""Entropies of a model's next-token distributions, one per row of logits, in float64 numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch


def entropies(logits: torch.Tensor) -> npt.NDArray[np.float64]:
    """Shannon entropy of each row in nats, ``- sum p log p`` with ``p = softmax(logits)``.

    Args:
        logits: (rows, vocabulary), any device and floating-point type; ``-inf`` counts as probability 0.

    Returns:
        (rows,); one fused pass on a CPU or with Triton, torch operations elsewhere: they agree to about 1e-6.
    """
    import torch

    from stela_kernels import fused_bias
    from stela_kernels.gpu import gpu_kernels

    if len(logits) == 0:
        return np.zeros(0)
    if fused_bias.suits(logits):
        from stela_kernels import fused_rows

        return fused_rows.entropies(logits.numpy())
    if kernels := gpu_kernels(logits):
        return kernels.entropies(logits)
    sums = torch.special.entr(logits.float().softmax(dim=-1)).sum(dim=-1)
    return _to_numpy(sums)


def spike_entropies(logits: torch.Tensor, modulus: float) -> npt.NDArray[np.float64]:
    """Spike entropy of each row, ``sum p / (1 + modulus * p)`` (Kirchenbauer et al. 2023, definition 4.1).

    It lies in ``[1 / (1 + modulus), 1]``: lowest where one token is certain. Arguments as for
    :func:`entropies`.
    """
    p = logits.float().softmax(dim=-1)
    return _to_numpy((p / (1 + modulus * p)).sum(dim=-1))


def _to_numpy(values: torch.Tensor) -> npt.NDArray[np.float64]:
    array: npt.NDArray[np.float64] = values.cpu().double().numpy()
    return array
