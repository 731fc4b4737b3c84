"""The loop that trains both kinds of model: batches, a falling learning rate, averaged weights."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from thinc.api import Adam, Model, set_dropout_rate, warmup_linear

X = TypeVar("X")
Scores = npt.NDArray[np.float32]
Gold = npt.NDArray[np.int64]
"""Labels (n, tasks) of n tokens; -1 where there is none."""

LEARN_RATE = 0.002


class Pace(NamedTuple):
    """How a model learns."""

    epochs: int
    batch: int
    drop: float
    auxiliary: float = 0.0
    """Weight of the tasks after the first, which only help to learn the embedding."""


def gradient(scores: Scores, gold: Gold, sizes: Sequence[int], auxiliary: float) -> tuple[Scores, float]:
    """Gradient of the cross-entropy of each task's slice of the scores, and the first task's loss."""
    change = np.zeros_like(scores)
    loss, start = 0.0, 0
    for task, size in enumerate(sizes):
        part = scores[:, start : start + size]
        shares = np.exp(part - part.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        known = np.flatnonzero(gold[:, task] >= 0)
        labels = gold[known, task]
        loss -= float(np.log(shares[known, labels] + 1e-9).sum()) if task == 0 else 0.0
        shares[known, labels] -= 1
        weight = 1.0 if task == 0 else auxiliary
        change[known, start : start + size] = shares[known] * weight
        start += size
    return change, loss


def fit(
    model: Model[Any, Any],
    examples: Callable[[random.Random], list[tuple[X, Gold]]],
    sizes: Sequence[int],
    pace: Pace,
    seed: int,
    report: Callable[[], str],
) -> dict[Any, Any]:
    """Train in place; returns the averaged weights, for ``model.use_params``.

    Args:
        model: list of inputs to a list of scores.
        examples: the inputs and gold labels of one epoch.
        sizes: labels of each task, whose scores lie side by side.
        pace: epochs, batches, dropout.
        seed: of the order and of what ``examples`` draws.
        report: what to print after an epoch.
    """
    steps = pace.epochs * -(-len(examples(random.Random(seed))) // pace.batch)
    optimizer = Adam(
        # thinc takes any iterator for a schedule, and its types name generators alone.
        warmup_linear(LEARN_RATE, 50, steps + 50),  # type: ignore[arg-type]
        L2=0.01,
        L2_is_weight_decay=True,
        grad_clip=1.0,
        use_averages=True,
    )
    chance = random.Random(seed)
    for epoch in range(pace.epochs):
        set_dropout_rate(model, pace.drop)
        shuffled = examples(chance)
        chance.shuffle(shuffled)
        total = 0.0
        for start in range(0, len(shuffled), pace.batch):
            batch = shuffled[start : start + pace.batch]
            scores, backprop = model.begin_update([inputs for inputs, _ in batch])
            changes = []
            for part, (_, gold) in zip(scores, batch, strict=True):
                change, loss = gradient(part, gold, sizes, pace.auxiliary)
                changes.append(change)
                total += loss
            backprop(changes)
            model.finish_update(optimizer)
            optimizer.step_schedules()
        set_dropout_rate(model, 0.0)
        with model.use_params(optimizer.averages):
            print(f"epoch {epoch + 1}: loss {total:.0f} {report()}", file=sys.stderr, flush=True)
    averages: dict[Any, Any] = optimizer.averages
    return averages
