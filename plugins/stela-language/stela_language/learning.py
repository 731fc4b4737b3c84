"""Training: each epoch is a pure function of the seed and the one before, so that it may be resumed."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stela_causal.word_files import Arrays, Description
from torch import Tensor
from torch.nn import functional

from stela_core.api import write_atomically
from stela_language.lesson import NONE, Batch, Characters, batches
from stela_language.network import Network

LEARN_RATE = 3e-3
WARM_UP = 0.03
"""Share of the steps until the full rate, which then falls to zero."""
UNFINISHED = 0.3
"""Weight of the tag of a word that is not written out yet, next to that of one that ends there."""
CHECKPOINT = "training.pt"


def loss_of(scores: Tensor, batch: Batch, delay: int) -> Tensor:
    """Mean over delays of the cross entropies of boundaries and of tags.

    Args:
        scores: (b, n, (delay + 1) * (1 + labels)).
        batch: (b, n) answers.
        delay: the largest; the character ``d`` places before a place is judged there for each ``d``.
    """
    rows, size, _ = scores.shape
    by_delay = scores.reshape(rows, size, delay + 1, -1)
    # White space before a character says that a word begins, so no score is asked for.
    after_space = functional.pad(batch.begins[:, :-1] == NONE, (1, 0), value=True)
    total = scores.new_zeros(())
    for late in range(delay + 1):
        here = by_delay[:, late:, late]
        earlier = slice(None, size - late)
        goes_on = batch.inside[:, late:] > 0
        begins = batch.begins[:, earlier]
        asked = goes_on & (begins != NONE) & ~after_space[:, earlier]
        if asked.any():
            total = total + functional.binary_cross_entropy_with_logits(
                here[..., 0][asked], begins[asked].float()
            )
        labels, ends = batch.labels[:, earlier], batch.ends[:, earlier]
        asked = goes_on & (labels != NONE) & ((ends > 0) | (late == 0))
        if asked.any():
            weights = torch.where(ends[asked] > 0, 1.0, UNFINISHED)
            each = functional.cross_entropy(here[..., 1:][asked], labels[asked], reduction="none")
            total = total + (each * weights).sum() / weights.sum()
    return total / (delay + 1)


def train(
    sentences: Sequence[Characters],
    shape: Description,
    epochs: int,
    seed: int,
    folder: Path,
    key: str,
    say: Callable[[str], None],
    *,
    start: Arrays | None = None,
    learn_rate: float = LEARN_RATE,
) -> Arrays:
    """Adam with a warm-up and a fall to zero; gives the arrays of the trained network.

    Args:
        sentences: to learn from.
        shape: of the network.
        epochs: how often each sentence is read.
        seed: of all chance.
        folder: where a checkpoint is kept after each epoch, and gone on from if it has the same ``key``.
        key: a hash of all that the result depends on.
        say: told a line after each epoch.
        start: arrays of a trained network of this shape, to go on from; without them chance gives the first.
        learn_rate: the full rate.
    """
    torch.manual_seed(seed)
    network = Network(shape)
    if start is not None:
        network.load_state_dict({name: torch.tensor(array) for name, array in start.items()})
    optimizer = torch.optim.Adam(network.parameters(), lr=LEARN_RATE)
    alphabet = shape.alphabet()
    done = _resume(folder / CHECKPOINT, key, network, optimizer)
    network.train()
    for epoch in range(done, epochs):
        torch.manual_seed(seed + 1 + epoch)
        chance = np.random.default_rng([seed, epoch])
        total = 0.0
        groups = list(batches(sentences, alphabet, chance))
        for number, batch in enumerate(groups):
            share = (epoch + number / len(groups)) / epochs
            rate = learn_rate * min(1.0, share / WARM_UP, (1 - share) / (1 - WARM_UP))
            for settings in optimizer.param_groups:
                settings["lr"] = max(rate, learn_rate / 100)
            loss = loss_of(network(batch.chars, batch.endings, batch.inside), batch, shape.delay)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            total += loss.item()
        state = {"key": key, "epoch": epoch + 1, "network": network.state_dict()}
        content = io.BytesIO()
        torch.save({**state, "optimizer": optimizer.state_dict()}, content)
        write_atomically(folder / CHECKPOINT, content.getvalue())
        say(f"epoch {epoch + 1} of {epochs}: loss {total / len(groups):.4f}")
    return {name: tensor.numpy() for name, tensor in network.state_dict().items()}


def _resume(file: Path, key: str, network: Network, optimizer: torch.optim.Optimizer) -> int:
    """Load a checkpoint of the same training; gives how many epochs are done."""
    if not file.is_file():
        return 0
    try:
        state: dict[str, Any] = torch.load(file, weights_only=True)
    except Exception:  # whatever a damaged file makes torch raise: train from the start
        return 0
    if state.get("key") != key:
        return 0
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["epoch"])
