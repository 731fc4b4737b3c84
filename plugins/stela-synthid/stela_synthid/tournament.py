"""Tournament sampling as an update of probabilities, layer by layer, on any device.

Of ``leaves`` candidates drawn from the distribution, a layer keeps one with the largest g-value. With bits
for g-values and green mass m (the probability of bit 1), that multiplies the probability of a green token by
``(1 - (1 - m)**leaves) / m`` and that of another by ``(1 - m)**(leaves - 1)`` (Dathathri et al. 2024,
Supplementary Information, Theorem 25). Two leaves make ``1 + g - m``, transformers' ``update_scores``, and
the mean over keys is the model's distribution; more leaves distort it, for a stronger mark
(``update_scores_distortionary`` of the package synthid-text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stela_synthid.ngrams import MULTIPLIER

if TYPE_CHECKING:
    import torch

FEW = 2
"""Rows are packed where at most one in ``FEW`` of their tokens can be drawn."""


def mark(
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    words: npt.NDArray[np.uint64],
    depth: int,
    leaves: int,
    vocab_size: int,
) -> torch.Tensor:
    """Logits of the marked distribution, (rows, width); ids from ``vocab_size`` on get ``-inf``.

    Args:
        scores: logits; what cannot be drawn is ``-inf``.
        seeds: hashes of the rows' contexts, (rows,).
        words: bits of all coins (:func:`stela_synthid.ngrams.words`), (size,).
        depth: number of layers, at most 64.
        leaves: candidates of a match, at least 2.
        vocab_size: number of ids.
    """
    import torch

    from stela_synthid import fused

    own = scores[:, :vocab_size]
    possible = torch.isfinite(own)
    most = int(possible.sum(dim=1).max()) if len(own) else 0
    out = torch.full_like(scores, -torch.inf)
    columns = None
    if most * FEW <= own.shape[1]:
        # Packed: after a truncation to some tokens, nobody asks for the bits of the others.
        columns = own.topk(most, dim=1).indices
        own = own.gather(1, columns)
    if fused.suits(own):
        marked = fused.update(own, columns, seeds, words, depth, leaves)
    else:
        marked = update(own, token_words(columns, own, seeds, words), depth, leaves)
    if columns is None:
        out[:, :vocab_size] = marked
    else:
        out.scatter_(1, columns, marked)
    return out


def token_words(
    columns: torch.Tensor | None,
    scores: torch.Tensor,
    seeds: npt.NDArray[np.uint64],
    words: npt.NDArray[np.uint64],
) -> torch.Tensor:
    """Bits of each row's tokens, int64 (rows, tokens), layer l in bit l; no columns are all ids in order."""
    import torch

    device = scores.device
    tokens = torch.arange(scores.shape[1], device=device).expand(scores.shape) if columns is None else columns
    before = torch.from_numpy(seeds.view(np.int64)).to(device)[:, None]
    hashes = (before + tokens) * MULTIPLIER + 1
    index = hashes * MULTIPLIER & (len(words) - 1)
    return torch.from_numpy(words.view(np.int64)).to(device)[index]


def update(scores: torch.Tensor, words: torch.Tensor, depth: int, leaves: int) -> torch.Tensor:
    """New logits (rows, tokens) of the type of ``scores``, the sums in float32 at least."""
    import torch

    exact = torch.float64 if scores.dtype == torch.float64 else torch.float32
    probs = torch.softmax(scores.to(exact), dim=1)
    for layer in range(depth):
        bits = (words >> layer & 1).to(exact)
        mass = (bits * probs).sum(dim=1, keepdim=True)
        green, other = factors(mass, leaves)
        probs = probs * (other + (green - other) * bits)
    return torch.log(probs).to(scores.dtype)


def factors(mass: torch.Tensor, leaves: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What a layer multiplies green and other probabilities by, of the green mass."""
    import torch

    # Rounded sums may exceed 1: a probability below 0 has no logarithm.
    rest = (1 - mass).clamp(min=0)
    # 1 + rest + ... + rest**(leaves - 1): the closed form divides by the mass, which may be 0.
    green, power = torch.ones_like(mass), torch.ones_like(mass)
    for _ in range(leaves - 1):
        power = power * rest
        green = green + power
    return green, power
