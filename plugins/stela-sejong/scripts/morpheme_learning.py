"""What the network is taught: the label of each character when the text goes on, and when it ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from stela_causal.alphabet import Alphabet
from stela_causal.code_points import OUTSIDE, Ids
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent))
from morpheme_network import CausalNetwork
from silver import NO_LABEL, Silver

PIECE = 128
"""Characters of a piece of text that is learnt from, as if nothing stood before it."""
WARM_UP = 100
END_SHARE = 1.0
"""Weight of the labels at each place before an end, relative to those that no end can change."""

Generator = np.random.Generator
Span = tuple[int, int]


class Batch(NamedTuple):
    """Pieces of text, (b, n) each, and the ends in them."""

    chars: Tensor
    pairs: Tensor
    triples: Tensor
    inside: Tensor
    labels: Tensor
    rows: Tensor
    """(m,) the piece of each end."""
    places: Tensor
    """(m,) where it is."""
    end_labels: Tensor
    """(m, seen) labels of the last characters of the text that ends there, the last one first."""


def pieces(silver: Silver, chance: Generator | None) -> list[Span]:
    """The documents cut into pieces, at other places each time where there is ``chance``."""
    spans = []
    for start, end in zip(silver.starts[:-1].tolist(), silver.starts[1:].tolist(), strict=True):
        at = start - (int(chance.integers(0, PIECE)) if chance is not None else 0)
        spans += [
            (max(at, start), min(at + PIECE, end)) for at in range(at, end, PIECE) if at + PIECE > start
        ]
    return spans


def lay_out(silver: Silver, spans: Sequence[Span], characters: Alphabet) -> Batch:
    """Pieces as a batch; nothing stands before any."""
    size, rows = max(end - start for start, end in spans), len(spans)
    points = np.full((rows, size + 2), OUTSIDE)
    labels = np.full((rows, size), NO_LABEL)
    of_ends: list[tuple[Ids, Ids, Ids]] = []
    for row, (start, end) in enumerate(spans):
        points[row, 2 : 2 + end - start] = silver.points[start:end]
        labels[row, : end - start] = silver.labels[start:end]
        first, last = np.searchsorted(silver.ends, [start, end])
        here = silver.ends[first:last] - start
        of_ends.append((np.full(len(here), row), here, silver.end_labels[first:last]))
    encoded = characters.encode_points(points.ravel(), [])

    def tensor(array: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array.reshape(rows, size + 2)[:, 2:]))

    in_rows, places, end_labels = (
        torch.from_numpy(np.concatenate(part)) for part in zip(*of_ends, strict=True)
    )
    return Batch(
        tensor(encoded.chars),
        tensor(encoded.endings[:, 0]),
        tensor(encoded.endings[:, 1]),
        tensor(encoded.inside).float(),
        torch.from_numpy(labels),
        in_rows,
        places,
        end_labels,
    )


def judged(network: CausalNetwork, batch: Batch) -> Iterator[tuple[Tensor, Tensor]]:
    """Scores (n, labels) and the right labels (n,) of each delay; the last are those of texts that go on.

    The label of a character ``d`` places before an end is what Kiwi says of the text that ends there.
    """
    features = network.features(batch.chars, batch.pairs, batch.triples, batch.inside)
    at_ends = features[batch.rows, batch.places]
    for delay in range(network.delay):
        known = (batch.end_labels[:, delay] != NO_LABEL) & (batch.places >= delay)
        yield network.labels[delay](at_ends[known]), batch.end_labels[known, delay]
    size = batch.labels.shape[1] - network.delay
    known = batch.labels[:, :size] != NO_LABEL
    yield network.labels[network.delay](features[:, network.delay :][known]), batch.labels[:, :size][known]


def loss_of(network: CausalNetwork, batch: Batch) -> Tensor:
    """The sum over delays of the mean cross entropy."""
    *at_ends, whole = (functional.cross_entropy(scores, right) for scores, right in judged(network, batch))
    return whole + END_SHARE * torch.stack(at_ends).sum()


@torch.no_grad()
def accuracy(network: CausalNetwork, silver: Silver, characters: Alphabet) -> list[float]:
    """Share of right labels at each delay: of the last character of a text, the one before, and so on."""
    network.eval()
    right = np.zeros(network.delay + 1)
    total = np.zeros(network.delay + 1)
    spans = pieces(silver, None)
    for first in range(0, len(spans), 64):
        batch = lay_out(silver, spans[first : first + 64], characters)
        for delay, (scores, labels) in enumerate(judged(network, batch)):
            right[delay] += (scores.argmax(1) == labels).sum().item()
            total[delay] += len(labels)
    network.train()
    return [round(float(share), 4) for share in right / total]


def train(
    network: CausalNetwork,
    silver: Silver,
    characters: Alphabet,
    epochs: int,
    rows: int,
    learn_rate: float,
    seed: int,
    report: Callable[[float, float], None],
) -> None:
    """Adam with a warm-up and a fall to zero; each epoch cuts the documents anew, ``rows`` pieces a step.

    ``report`` gets the share that is done, ten times, and the mean loss since.
    """
    chance = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=learn_rate)
    network.train()
    losses: list[float] = []
    steps = 0
    for epoch in range(epochs):
        spans = pieces(silver, chance)
        order = chance.permutation(len(spans)).tolist()
        groups = [order[first : first + rows] for first in range(0, len(order), rows)]
        for number, group in enumerate(groups):
            done = (epoch + number / len(groups)) / epochs
            for settings in optimizer.param_groups:
                settings["lr"] = learn_rate * min(1.0, (steps + 1) / WARM_UP) * max(1 - done, 0.01)
            loss = loss_of(network, lay_out(silver, [spans[at] for at in group], characters))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            losses.append(loss.item())
            steps += 1
            if int(10 * (done + 1 / len(groups) / epochs)) > int(10 * done):
                report(done, sum(losses) / len(losses))
                losses = []
