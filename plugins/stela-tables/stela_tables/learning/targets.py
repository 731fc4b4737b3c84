"""What a reference model says of each token of some texts: the values that are summed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from stela_models.logits import ModelLogits

from stela_tables.learning.pieces import BATCH
from stela_tables.learning.recipe import Recipe
from stela_tables.weightings import DELTA

if TYPE_CHECKING:
    from stela_core.api import LanguageModel


def targets(
    model: LanguageModel, rows: Sequence[Sequence[int]], recipe: Recipe
) -> list[npt.NDArray[np.float64]]:
    """The recipe's quantity at each token but the first of each row."""
    from stela_models.gains import expected_gain, gumbel_gain, spike_entropy, synthid_gain

    gains: dict[str, Callable[[Any, float], npt.NDArray[np.float64]]] = {
        "expected-gain": partial(expected_gain, delta=DELTA),
        "gumbel-gain": gumbel_gain,
        "synthid-gain": synthid_gain,
    }
    reader = ModelLogits(*model, batch=BATCH)
    texts = [np.asarray(ids, dtype=np.int64) for ids in rows]
    positions = [np.arange(1, len(ids)) for ids in texts]
    values = [np.zeros(len(at)) for at in positions]
    with one_thread(model):
        for chunk in reader.chunks(texts, positions, reader.prefixes(None, len(texts))):
            if recipe.quantity == "spike-entropy":
                part = spike_entropy(chunk.logits, DELTA)
            else:
                part = gains[recipe.quantity](chunk.logits, recipe.temperature)
            values[chunk.text][chunk.start : chunk.stop] = part
    return values


@contextmanager
def one_thread(model: LanguageModel) -> Iterator[None]:
    """Torch on one thread on a CPU, so that a table is the same for any number of workers.

    How a product is split among threads may show in its last bits.
    """
    import torch

    before = torch.get_num_threads()
    if model.model.device.type != "cpu" or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
