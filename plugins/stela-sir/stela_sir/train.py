"""Train the network: like outputs for near contexts, unrelated ones for others, each output high in half.

The loss is that of Liu et al. (ICLR 2024, section 4), with two changes. Their target for the similarity of
two outputs is ``tanh(k (cos - median))``, which is -1 for unlike contexts: such a network ends with two
opposite lists for everything. Here it is ``tanh(k max(0, cos - median))``. And cosines are of vectors that
are whitened in each corpus: else frequent words make all contexts of a language near.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from stela_sir.network import LAYERS, OUTPUTS, UNIT, Layer, units

BATCH = 512
SHARP = 30.0
"""Factor on what an output is above its mean, whose ``tanh`` counts in the balance."""
FLOOR = 0.05
"""Distance from 0 that outputs are pushed to (the paper's R)."""
NEAR = 12
"""Half of the pairs are contexts of one text, at most this many tokens from each other."""


class Residual(nn.Module):
    """``h + relu(W h + b)``."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """(n, width) -> (n, width)."""
        added: torch.Tensor = self.linear(hidden).relu()
        return hidden + added


def trained(
    corpora: Sequence[npt.NDArray[np.int64]],
    hidden: int,
    steps: int,
    steepness: float,
    seed: int = 0,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Layer]:
    """The layers of a network for such contexts.

    Args:
        corpora: vectors of the contexts of each corpus, text after text, (tokens, dimensions) each.
        hidden: width of the hidden layers.
        steps: of the optimiser, each on 512 pairs of contexts.
        steepness: k of the target; 20 in the paper. With more, less near contexts have like outputs.
        seed: of everything that is random.
        advance: is told of each step.
    """
    parts = [torch.from_numpy(units(vectors) / UNIT).float() for vectors in corpora]
    inputs, white = torch.cat(parts), torch.cat([whitened(part) for part in parts])
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = nn.Sequential(
            nn.Linear(inputs.shape[1], hidden),
            *[Residual(hidden) for _ in range(LAYERS - 2)],
            nn.Linear(hidden, OUTPUTS),
        )
    optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
    some = [torch.randint(len(inputs), (1 << 14,), generator=generator) for _ in "ab"]
    median = torch.cosine_similarity(white[some[0]], white[some[1]], dim=1).median()
    for _ in range(steps):
        one = torch.randint(len(inputs), (BATCH,), generator=generator)
        other = torch.randint(len(inputs), (BATCH,), generator=generator)
        near = BATCH // 2
        shift = torch.randint(1, NEAR + 1, (near,), generator=generator)
        other[:near] = (one[:near] + shift).clamp(max=len(inputs) - 1)
        cosines = torch.cosine_similarity(white[one], white[other], dim=1)
        target = torch.tanh(steepness * (cosines - median).relu())
        loss = loss_of(network(inputs[one]), network(inputs[other]), target)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        advance(1)
    return quantised(network)


def loss_of(one: torch.Tensor, other: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Similarity and balance of the outputs of pairs of contexts.

    Args:
        one: outputs of the first contexts, which stand at random places, (n, 256).
        other: of the second ones, (n, 256).
        target: cosine that each pair should have, (n,).
    """
    similarity = (torch.cosine_similarity(one, other, dim=1) - target).abs().mean()
    signs = torch.tanh(SHARP * (one - one.mean(dim=1, keepdim=True)))
    balance = one.mean(dim=1).square().mean() + signs.mean(dim=0).square().mean()
    return similarity + balance + (FLOOR - one.abs()).relu().mean()


def whitened(inputs: torch.Tensor) -> torch.Tensor:
    """Vectors (n, d) centred, with equal variance in all directions but the faintest."""
    centred = inputs - inputs.mean(dim=0)
    variances, directions = torch.linalg.eigh(centred.T @ centred / len(centred))
    scales: torch.Tensor = (variances + 0.01 * variances.mean() + 1e-12).rsqrt()
    turned: torch.Tensor = centred @ directions
    return turned * scales


def quantised(network: nn.Sequential) -> list[Layer]:
    """The layers with weights in whole numbers of 8 bits; a hidden 1 is ``UNIT``."""
    linear = [module for module in network.modules() if isinstance(module, nn.Linear)]
    return [layer_of(module, last=module is linear[-1]) for module in linear]


def layer_of(linear: nn.Linear, last: bool) -> Layer:
    """One layer: weights times its scale, rounded; the last one is not divided again."""
    weights, biases = (part.detach().double().numpy() for part in (linear.weight, linear.bias))
    scale = max(1, int(127 / max(float(np.abs(weights).max()), 127 / (1 << 20))))
    whole = np.rint(weights * scale).clip(-127, 127).astype(np.int8)
    limit = np.iinfo(np.int32).max
    shifted = np.rint(biases * scale * UNIT).clip(-limit, limit).astype(np.int32)
    return Layer(whole, shifted, 1 if last else scale)
