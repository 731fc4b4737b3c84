"""Which tokens of a vocabulary begin with some bytes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
import numpy.typing as npt

from stela_core.text.token_bytes import TokenBytes


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
