"""The text's own token in a surrogate's distribution, which has other tokens: what of it that token takes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stela_core.api import TokenBytes, TokenStarts


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
