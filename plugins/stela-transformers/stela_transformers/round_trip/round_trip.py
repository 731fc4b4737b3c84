"""Ids that come back: whether a text's own tokenisation would be the ids it was generated with.

Detection reads text, and where the tokenizer cuts it otherwise than the model did, colours are lost. A model
may write ``he`` and ``llo`` where its tokenizer makes ``hello``; a mask at each step takes such ids away.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from stela_core.api import TokenBytes
from stela_transformers.round_trip.bpe_pairs import BpePairs
from stela_transformers.round_trip.cut_again import LAST_IDS, CutAgain, read
from stela_transformers.round_trip.token_kinds import KINDS, kinds_after, kinds_of

if TYPE_CHECKING:
    import torch

Logits = TypeVar("Logits", "torch.Tensor", "npt.NDArray[Any]")

Rows = Sequence[Sequence[int]] | npt.NDArray[np.integer[Any]]

TRIED = 64
"""Candidates a step that are tried by cutting the text again, the likeliest ones."""
LAST_RESORT = 1024
"""Candidates that are tried where none of those came back."""
SPAN = 8.0
"""Candidates this many nats below the likeliest id are not tried: e^-8 of its probability."""


class RoundTrip:
    """Which ids may come next, so that the text, cut again, is the same ids.

    A function of the generated ids and the logits, as all of a step. Tokens of letters are decided for the
    whole vocabulary at once, by the tokenizer's merges (:class:`.BpePairs`). The likeliest of the others, of
    signs, digits, spaces and pieces of characters, are tried by cutting the last ids again with each of them
    (:class:`.CutAgain`); those that are not tried are not allowed. Special tokens always are.

    Where no id comes back it gives way, but no further than it must, and counts (:attr:`gave_way`): to ids
    that break no character; where none of those is finite, to special ones and those beyond the vocabulary;
    where none is, the logits are not changed.

    Args:
        tokenizer: the profile's.
        tokens: bytes of its ids.
    """

    last_ids = LAST_IDS
    """Ids at the end of each row that it reads."""

    def __init__(self, tokenizer: Tokenizer, tokens: TokenBytes) -> None:
        self._tokens = tokens
        self._pairs = BpePairs.of(tokenizer)
        self._cut_again = CutAgain(tokenizer, tokens, self._pairs)
        size = len(tokens)
        made = np.zeros(size, dtype=np.bool_) if self._pairs is None else self._pairs.made
        self._kinds = kinds_of(tokenizer, tokens, made)
        self.text = np.array([tokens.is_text(index) for index in range(size)], dtype=np.bool_)
        """Whether an id is an ordinary token, (ids,)."""
        self._continues = np.array(
            [b"\x80" <= tokens[index][:1] < b"\xc0" for index in range(size)], dtype=np.bool_
        )
        """Whether a token begins within a character."""
        self.gave_way = 0
        """Steps of a row so far at which an id had to be allowed that may not come back."""
        self._lock = Lock()
        self._of_kinds = {kinds: np.isin(self._kinds, sorted(kinds)) for kinds in KINDS}

    def apply(self, rows: Rows, logits: Logits) -> Logits:
        """The logits, minus infinity where an id would not come back.

        Args:
            rows: token ids generated so far of each row, its prompt left out.
            logits: (rows, width), a torch tensor or a numpy array; left as it was.

        Returns:
            logits of the same shape, kind, type and device.
        """
        scores = logits if isinstance(logits, np.ndarray) else logits.detach().float().cpu().numpy()
        allowed = np.stack([self.allowed(ids, row) for ids, row in zip(rows, scores, strict=True)])
        if isinstance(logits, np.ndarray):
            out = logits.copy()
            out[~allowed] = -np.inf
            return out
        import torch  # whoever has a tensor has it

        return logits.masked_fill(torch.from_numpy(~allowed).to(logits.device), -torch.inf)

    def allowed(self, ids: Sequence[int], scores: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which ids may come after ``ids``.

        Args:
            ids: generated so far of one text, its prompt left out.
            scores: the logits of the step, (width,).

        Returns:
            (width,); all of them where the text has ended.
        """
        width = len(scores)
        everything = np.ones(width, dtype=np.bool_)
        if len(ids) and not self._tokens.is_text(int(ids[-1])):
            return everything
        size = min(width, len(self._tokens))
        window = [int(index) for index in ids[-LAST_IDS:]]
        window = window[1 + max((n for n, index in enumerate(window) if not self.text[index]), default=-1) :]
        decided = self._of_kinds[self._kinds_after(window)][:size]
        returning = decided.copy()
        if window and self._pairs is not None:
            unstable = self._pairs.unstable_after(window[-1])
            returning[unstable[unstable < size]] = False
        begun = read(self._cut_again.bytes_of(window))[1]
        others = np.flatnonzero(self.text[:size] & ~decided & (self._continues[:size] == bool(begun)))
        candidates = likeliest(others, scores, float(scores.max(initial=-np.inf)) - SPAN)
        returning[self._coming_back(window, candidates)] = True
        if not np.isfinite(scores[:size][returning]).any():
            # A dead end, as it seems: one of the less likely may lead out of it.
            returning[self._coming_back(window, likeliest(others, scores, -np.inf, LAST_RESORT))] = True
        if not np.isfinite(scores[:size][returning]).any():
            with self._lock:
                self.gave_way += 1
            returning = self._breaking_none(begun, size)
        everything[:size] = returning | ~self.text[:size]
        # Where nothing is left at all, no token could be drawn: as the engine left it, it stays.
        return everything if np.isfinite(scores[everything]).any() else np.ones(width, dtype=np.bool_)

    def _breaking_none(self, begun: bytes, size: int) -> npt.NDArray[np.bool_]:
        """Ids of which each byte is, or becomes, one of a character, behind the beginning of one; (size,)."""
        whole: npt.NDArray[np.bool_] = self.text[:size] & (self._continues[:size] == bool(begun))
        for index in np.flatnonzero(whole).tolist():
            try:
                read(begun + self._tokens[index], "strict")
            except UnicodeDecodeError:
                whole[index] = False
        return whole

    def _coming_back(self, window: Sequence[int], candidates: Sequence[int]) -> list[int]:
        back = self._cut_again.come_back(window, candidates)
        return [index for index, comes in zip(candidates, back, strict=True) if comes]

    def _kinds_after(self, window: Sequence[int]) -> frozenset[int]:
        text, begun = read(self._cut_again.bytes_of(window))
        return frozenset() if begun else kinds_after(text)


def likeliest(
    ids: npt.NDArray[np.intp], scores: npt.NDArray[Any], least: float, count: int = TRIED
) -> list[int]:
    """Up to ``count`` of the ids with the highest scores, at least ``least``; the lower id where they tie."""
    logits = scores[ids]
    near = logits >= least
    ids, logits = ids[near], logits[near]
    if len(ids) > count:
        bound = np.partition(logits, len(logits) - count)[len(logits) - count]
        near = logits >= bound
        ids, logits = ids[near], logits[near]
    best: list[int] = ids[np.argsort(-logits, kind="stable")][:count].tolist()
    return best
