"""A language model's input embeddings: what its tokens mean, in a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from stela_core import Registry, StelaError
from stela_models.load import load_model


def input_embeddings(registry: Registry, name: str, size: int) -> npt.NDArray[np.float32]:
    """The embeddings of the ids below ``size``, centred and of length 1, (size, dimensions).

    Lengths are mostly about how common a token is, and so is the mean: neither says what it means.

    Args:
        registry: knows the models' aliases.
        name: alias, folder or hub name.
        size: ids that the tokenizer knows.

    Raises:
        StelaError: there is no such model, or it has fewer embeddings.
    """
    model: Any = load_model(registry, name).model
    matrix = model.get_input_embeddings().weight
    if len(matrix) < size:
        raise StelaError(
            f'model "{name}" has {len(matrix)} embeddings for {size} ids of its tokenizer.',
            "use a model with its own tokenizer",
        )
    vectors = matrix[:size].detach().float().cpu().numpy()
    vectors = vectors - vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: npt.NDArray[np.float32] = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit
