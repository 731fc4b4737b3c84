"""What another model says of a text's tokens: one that sees the text alone, or its last characters alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from stela_models.load import load_model
from stela_models.surrogate import SurrogateLogits

from benchmarks.texts import registry
from stela_core.interfaces.logits import Surrogate
from stela_core.text.token_bytes import TokenBytes

Floats = npt.NDArray[np.float64]


class Reader:
    """A model that reads texts whose tokens another one cut.

    Args:
        name: alias or folder of the model.
        temperature: of the draws.
    """

    def __init__(self, name: str, temperature: float) -> None:
        self._surrogate = Surrogate(*load_model(registry(), name))
        self._temperature = temperature

    def collisions(self, text: str, ends: Sequence[int], last: int | None = None) -> Floats:
        """``sum p^2`` of what comes next after each beginning of a text.

        Args:
            text: the text.
            ends: lengths of the beginnings, in characters, (n,), ascending.
            last: how many characters before each the reader sees; by default all.

        Returns:
            (n,); where the reader has nothing to read, near 0: it expects anything.
        """
        if last is None:
            pieces = [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]
            return self._of(pieces, [list(range(len(pieces)))], [list(range(1, len(pieces) + 1))])
        pieces = [text[max(0, end - last) : end] for end in ends]
        return self._of(pieces, [[number] for number in range(len(pieces))], [[1]] * len(pieces))

    def _of(self, pieces: Sequence[str], texts: list[list[int]], at: list[list[int]]) -> Floats:
        """The same of texts that are put together of pieces, at their places in each."""
        import torch

        tokens = TokenBytes([piece.encode() for piece in pieces], frozenset())
        logits = SurrogateLogits(self._surrogate, tokens)
        # A piece more for each text: what is asked for stands before it.
        ids = [np.array([*text, 0], dtype=np.int64) for text in texts]
        places = [np.array(each, dtype=np.intp) for each in at]
        collisions = [np.zeros(len(each)) for each in at]
        with torch.inference_mode():
            for chunk in logits.chunks(ids, places, logits.prefixes(None, len(ids))):
                likely = torch.softmax(chunk.logits.double() / self._temperature, dim=-1)
                collisions[chunk.text][chunk.start : chunk.stop] = likely.square().sum(dim=-1).numpy()
        return np.concatenate(collisions)
