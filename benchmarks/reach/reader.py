"""What another model says of a text's tokens: one that sees the text alone, or its last characters alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.texts import registry
from stela_core.models.load import load_model
from stela_core.models.logits import ModelLogits
from stela_core.text.token_bytes import TokenBytes
from stela_core.text.tokenizer import backend_of

Floats = npt.NDArray[np.float64]


class Starts:
    """Which tokens begin with some bytes."""

    def __init__(self, tokens: TokenBytes) -> None:
        order = sorted(range(len(tokens)), key=tokens.__getitem__)
        self._ids = np.array(order)
        self._bytes = [tokens[index] for index in order]

    def with_bytes(self, beginning: bytes) -> npt.NDArray[np.int64]:
        """Ids of the tokens that begin with them; of all tokens where there are none."""
        # Cut to the length of the beginning, the sorted tokens are still in order.
        size = len(beginning)
        low = bisect_left(self._bytes, beginning, key=lambda of: of[:size])
        high = bisect_right(self._bytes, beginning, key=lambda of: of[:size])
        return self._ids[low:high]


class Reader:
    """A model that reads texts whose tokens another one cut.

    A token of the writer may end within a token of the reader. The reader is then asked for the next token
    given that it begins with the characters that already stand there.

    Args:
        name: alias or folder of the model.
        temperature: of the draws.
    """

    def __init__(self, name: str, temperature: float) -> None:
        self._model, tokenizer = load_model(registry(), name)
        self._tokenizer = backend_of(tokenizer)
        self._tokens = TokenBytes.of(self._tokenizer)
        self._starts = Starts(self._tokens)
        self._first = ModelLogits(self._model, tokenizer).prefixes(None, 1)[0].tolist()
        self._temperature = temperature

    def collisions(self, text: str, ends: Sequence[int], last: int | None = None) -> Floats:
        """``sum p^2`` of the next token after each beginning of a text.

        Args:
            text: the text.
            ends: lengths of the beginnings, in characters, (n,).
            last: how many characters before each the reader sees; by default all.

        Returns:
            (n,); where the reader has nothing to read, 0: it expects anything.
        """
        if last is None:
            return self._of_one(text, ends)
        return np.concatenate(
            [self._of_one(text[max(0, end - last) : end], [min(end, last)]) for end in ends]
        )

    def _of_one(self, text: str, ends: Sequence[int]) -> Floats:
        import torch

        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not self._first and not ids:
            return np.zeros(len(ends))
        # Where each token begins, in bytes, and where the text ends.
        starts = np.cumsum([0, *(len(self._tokens[index]) for index in ids)])
        whole = text.encode()
        with torch.inference_mode():
            logits = self._model(torch.tensor([self._first + ids])).logits[0]
        collisions = np.zeros(len(ends))
        for number, end in enumerate(ends):
            here = len(text[:end].encode())
            token = int(np.searchsorted(starts, here, side="right")) - 1
            place = token + len(self._first) - 1
            if place < 0:
                continue
            row = logits[place, : len(self._tokens)]
            begun = whole[starts[token] : here]
            if begun and len(begun_by := self._starts.with_bytes(begun)):
                row = row[torch.from_numpy(begun_by)]
            likely = torch.softmax(row.double() / self._temperature, dim=-1)
            collisions[number] = float(likely.square().sum())
        return collisions
