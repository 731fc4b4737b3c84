"""Training of one network, and how well it does."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from stela_causal.alphabet import Alphabet
from stela_ctb.shipped import NO_WORD
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parent))
from both_sides import CharacterNetwork
from ctb_treebank import Sentence
from looking_left import CausalNetwork
from raw_text import Start
from samples import Batch, batches, lay_out, pieces

BATCH = 1500
"""Characters per step."""
LEARN_RATE = 2e-3
WARM_UP = 50
HIDDEN_CHARS = 0.04
HIDDEN_PAIRS = 0.1
"""Shares of characters and pairs that are replaced by the unknown one, which would else be untrained."""
UNKNOWN_CHAR = 1

Network = CharacterNetwork | CausalNetwork
Loss = Callable[[Any, Batch, tuple[Tensor, ...]], Tensor]
"""Loss of a network of the kind that the loss is for."""


def segmentation_loss(network: CharacterNetwork, batch: Batch, inputs: tuple[Tensor, ...]) -> Tensor:
    """B, M, E, S of each character, and next to it the label together with the tag of its word."""
    features = network.features(*inputs)[0]
    tags = torch.cat([batch.tags, batch.tags.new_zeros(1)])[batch.word]
    both = torch.where(batch.labels == NO_WORD, NO_WORD, tags * 4 + batch.labels)
    assert network.side is not None
    loss = functional.cross_entropy(network.labels(features), batch.labels, ignore_index=NO_WORD)
    return loss + 0.5 * functional.cross_entropy(network.side(features), both, ignore_index=NO_WORD)


def tagging_loss(network: CharacterNetwork, batch: Batch, inputs: tuple[Tensor, ...]) -> Tensor:
    """The tag of each word, from the mean score of its characters."""
    scores = network(*inputs, (batch.labels + 1)[None])[0]
    return functional.cross_entropy(by_word(scores, batch), batch.tags)


def by_word(scores: Tensor, batch: Batch) -> Tensor:
    """(n, labels) scores of characters to (w, labels) means over words."""
    words = len(batch.tags)
    total = scores.new_zeros(words + 1, scores.shape[1]).index_add(0, batch.word, scores)
    size = torch.bincount(batch.word, minlength=words + 1).clamp(min=1)
    return (total / size[:, None])[:words]


def start_from(network: Network, start: Start) -> None:
    """Put what raw text tells into the embeddings; what is special there starts at nothing."""
    with torch.no_grad():
        for table, vectors in ((network.chars, start.char_vectors), (network.pairs, start.pair_vectors)):
            table.weight.zero_()
            table.weight[-len(vectors) :] = torch.from_numpy(vectors)


def train(
    network: Network,
    sentences: list[Sentence],
    characters: Alphabet,
    tag_ids: dict[str, int],
    loss_of: Loss,
    epochs: int,
    seed: int,
    report: Callable[[int, float], None],
) -> None:
    """Adam with a warm-up and a fall to zero; each epoch joins and cuts the sentences anew."""
    chance = random.Random(seed)
    steps = 0
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARN_RATE)
    for epoch in range(epochs):
        network.train()
        samples = list(pieces(sentences, chance))
        chance.shuffle(samples)
        total = 0.0
        groups = list(batches(samples, BATCH))
        for number, group in enumerate(groups):
            done = (epoch + number / len(groups)) / epochs
            for settings in optimizer.param_groups:
                settings["lr"] = LEARN_RATE * min(1.0, (steps + 1) / WARM_UP) * max(1 - done, 0.01)
            batch = lay_out(group, characters, tag_ids)
            loss = loss_of(network, batch, _hidden(batch))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
            steps += 1
        network.eval()
        report(epoch, total / len(groups))


def _hidden(batch: Batch) -> tuple[Tensor, ...]:
    chars, left, right, inside = batch.inputs
    known = chars > UNKNOWN_CHAR
    chars = chars.masked_fill((torch.rand(chars.shape) < HIDDEN_CHARS) & known, UNKNOWN_CHAR)
    # The same pair is the right one of a place and the left one of the next.
    hide = torch.rand(left.shape[0], left.shape[1] + 1) < HIDDEN_PAIRS
    return chars, left.masked_fill(hide[:, :-1], 1), right.masked_fill(hide[:, 1:], 1), inside
