"""The text's own token in a surrogate's distribution, which has other tokens: what of it that token takes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from stela_core.api import Chunk, TokenBytes
from stela_models.logits import Ids

if TYPE_CHECKING:
    import torch


class TokenStarts:
    """The ordinary tokens of a vocabulary, sorted by their bytes."""

    def __init__(self, tokens: TokenBytes) -> None:
        order = sorted(filter(tokens.is_text, range(len(tokens))), key=tokens.__getitem__)
        self._ids = np.array(order, dtype=np.int64)
        self._bytes = [tokens[index] for index in order]

    def with_bytes(self, beginning: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Ids of the tokens that are these bytes, and of those that begin with them and go on."""
        # Cut to the length of the beginning, the sorted tokens are still in order.
        size = len(beginning)
        low = bisect_left(self._bytes, beginning)
        middle = bisect_right(self._bytes, beginning, lo=low)
        high = bisect_right(self._bytes, beginning, lo=middle, key=lambda of: of[:size])
        return self._ids[low:middle], self._ids[middle:high]


class OwnToken(NamedTuple):
    """What of one row of a distribution is the text's own token, where the model has other tokens."""

    columns: npt.NDArray[np.int64]
    """Entries that are it, (m,)."""
    begun: int | None = None
    """An entry that is only its beginning."""
    rest: float = 0.0
    """Log-probability of its other bytes after that."""


@dataclass(frozen=True, slots=True)
class SurrogateChunk(Chunk):
    """Logits of a model with other tokens than the text."""

    own: Sequence[OwnToken] = ()
    """What of each row is the text's own token there; empty where nobody asks for it."""

    def with_tokens(self, ids: Ids) -> tuple[torch.Tensor, Ids]:
        """The logits with each row's own token in a separate column, and the number of that column."""
        return with_own_column(self.logits, self.own)


def with_own_column(
    logits: torch.Tensor, own: Sequence[OwnToken]
) -> tuple[torch.Tensor, npt.NDArray[np.int64]]:
    """Log-probabilities (n, width) with each row's own token in a separate column, (n, width + 1).

    What it takes, other columns lose: a row's probabilities have the sum that they had.

    Returns:
        the logits, and the number of that column, the last, (n,).
    """
    import torch

    n, width = logits.shape
    wide = torch.cat([logits, logits.new_full((n, 1), -torch.inf)], dim=-1)
    for row, token in zip(wide, own, strict=True):
        columns = torch.from_numpy(token.columns).to(row.device)
        taken = row[columns].logsumexp(dim=-1)
        row[columns] = -torch.inf
        if token.begun is not None:
            rest = row.new_tensor(min(token.rest, -1e-6))
            taken = torch.logaddexp(taken, row[token.begun] + rest)
            row[token.begun] += torch.log1p(-rest.exp())
        row[width] = taken
    return wide, np.full(n, width, dtype=np.int64)


class OwnTokens:
    """Find the tokens of one vocabulary among those of another, by their bytes.

    What another model expects in longer tokens is a written token where the text's tokenizer would cut that
    off first; it is taken to cut off the longest that it has.

    Args:
        written: bytes of the text's token ids.
        read: bytes of the surrogate's.
    """

    def __init__(self, written: TokenBytes, read: TokenBytes) -> None:
        self._ids: dict[bytes, int] = {}
        for index in range(len(written)):
            if written.is_text(index):
                self._ids.setdefault(written[index], index)
        self._longest = max(map(len, self._ids), default=0)
        self._read = read
        self._starts = TokenStarts(read)
        self._known: dict[tuple[bytes, bytes], npt.NDArray[np.int64]] = {}

    def first(self, data: bytes) -> bytes:
        """The longest of the written tokens that these bytes begin with."""
        for size in range(min(len(data), self._longest), 0, -1):
            if data[:size] in self._ids:
                return data[:size]
        return b""

    def are(self, token: bytes, after: bytes = b"") -> npt.NDArray[np.int64]:
        """The surrogate's tokens that are, after these bytes, the token, or longer with it cut off first.

        Where there are none, all that begin with it.
        """
        if (token, after) not in self._known:
            same, longer = self._starts.with_bytes(after + token)
            cut = [index for index in longer.tolist() if self.first(self._read[index][len(after) :]) == token]
            rows = np.concatenate([same, np.array(cut, dtype=np.int64)])
            self._known[token, after] = rows if len(rows) or after else longer
        return self._known[token, after]
